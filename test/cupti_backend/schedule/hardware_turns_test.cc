// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/hardware_turns.h"

#include <cstdint>

#include "lib/capture/process/clock.h"
#include "test/support/catch.h"

namespace prof::cupti::hardware_turns_test {
namespace {

using Owner = HardwareTurns::Owner;
constexpr int64_t kSecondNs = 1'000'000'000;

// Whether the thread of ranges, which sleeps for long, was woken.
bool Woken(WorkSignal* ranges) {
  const int64_t begin_ns = capture::MonotonicNs();
  ranges->WaitUntil(begin_ns + 60 * kSecondNs);
  return capture::MonotonicNs() < begin_ns + 50 * kSecondNs;
}

bool Asleep(WorkSignal* ranges) {
  const int64_t until_ns = capture::MonotonicNs() + kSecondNs / 100;
  ranges->WaitUntil(until_ns);
  return capture::MonotonicNs() >= until_ns;
}

TEST_CASE(
    "The thread of ranges is woken when it gets the hardware, and when it should give it back") {
  WorkSignal ranges;
  HardwareTurns turns(Owner::kTriage, &ranges);
  turns.SetUrgent(true);
  turns.SetUrgent(false);
  CHECK(Asleep(&ranges));  // it has nothing to give
  turns.PassTo(Owner::kRanges);
  CHECK(Woken(&ranges));
  turns.SetUrgent(true);
  CHECK(Woken(&ranges));
  turns.SetUrgent(true);
  CHECK(Asleep(&ranges));  // once
  turns.PassTo(Owner::kTriage);
  CHECK(Asleep(&ranges));
}

}  // namespace
}  // namespace prof::cupti::hardware_turns_test
