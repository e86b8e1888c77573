// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/held_up_watch.h"

#include <optional>
#include <string>

#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

TEST_CASE("A launch is held up that has been under its range for five seconds") {
  HeldUpWatch watch;
  SampleSchedule::Entry signature;
  CHECK_FALSE(watch.Find(HeldUpWatch::kHeldUpNs));
  watch.BeginRange({&signature, "waits"}, 1000);
  CHECK_FALSE(watch.Find(999 + HeldUpWatch::kHeldUpNs));
  const std::optional<HeldUpWatch::Launch> launch = watch.Find(1000 + HeldUpWatch::kHeldUpNs);
  REQUIRE(launch);
  CHECK(launch->signature == &signature);
  CHECK(launch->kernel_name == std::string("waits"));
  watch.EndRange();
  CHECK_FALSE(watch.Find(1000 + HeldUpWatch::kHeldUpNs));
}

}  // namespace
}  // namespace prof::cupti::test
