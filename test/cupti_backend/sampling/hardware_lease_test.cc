// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/hardware_lease.h"

#include <utility>

#include "lib/capture/process/clock.h"
#include "test/support/catch.h"

namespace prof::cupti::test::hardware_lease_test {
namespace {

TEST_CASE("One lease at a time is given out, and the next one when that has died") {
  HardwareLock hardware;
  {
    const HardwareLease lease = hardware.TryTake();
    CHECK(lease);
    CHECK(hardware.taken());
    CHECK_FALSE(hardware.TryTake());
  }
  CHECK_FALSE(hardware.taken());
  CHECK(hardware.TryTake());
}

TEST_CASE("A refused lease does not give back the hardware of another one") {
  HardwareLock hardware;
  const HardwareLease lease = hardware.TryTake();
  { CHECK_FALSE(hardware.TakeWithin(0)); }
  CHECK(hardware.taken());
}

TEST_CASE("A lease that moves takes the hardware with it") {
  HardwareLock hardware;
  HardwareLease first = hardware.TryTake();
  {
    const HardwareLease second = std::move(first);
    CHECK(second);
  }
  CHECK_FALSE(hardware.taken());
}

TEST_CASE("Hardware that is kept stays taken until its thread goes on") {
  HardwareLock hardware;
  {
    HardwareLease lease = hardware.TryTake();
    lease.KeepTaken();
  }
  CHECK(hardware.taken());
  { const HardwareLease lease = hardware.Resume(); }
  CHECK_FALSE(hardware.taken());
}

TEST_CASE("Who waits for the hardware gives up after its time") {
  HardwareLock hardware;
  HardwareLease lease = hardware.TryTake();
  const int64_t begin_ns = capture::MonotonicNs();
  CHECK_FALSE(hardware.TakeWithin(10'000'000));
  CHECK(capture::MonotonicNs() - begin_ns >= 10'000'000);
  lease.Release();
  CHECK(hardware.TakeWithin(10'000'000));
}

}  // namespace
}  // namespace prof::cupti::test::hardware_lease_test
