// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/held_up_watch.h"

#include <optional>
#include <string>

#include "test/support/catch.h"

namespace prof::cupti::test::held_up_watch_test {
namespace {

TEST_CASE("A launch is held up that has been under its range for five seconds") {
  HeldUpWatch watch;
  SampleSchedule::Entry signature;
  CHECK_FALSE(watch.Find(HeldUpWatch::kHeldUpNs));
  watch.BeginRange(&signature, "waits", 1000);
  CHECK_FALSE(watch.Find(999 + HeldUpWatch::kHeldUpNs));
  const std::optional<HeldUpWatch::Launch> launch = watch.Find(1000 + HeldUpWatch::kHeldUpNs);
  REQUIRE(launch);
  CHECK(launch->signature == &signature);
  CHECK(launch->kernel_name == "waits");
  watch.EndRange();
  CHECK_FALSE(watch.Find(1000 + HeldUpWatch::kHeldUpNs));
}

TEST_CASE("The name of a held-up launch stays when the program unloads its module") {
  HeldUpWatch watch;
  SampleSchedule::Entry signature;
  const auto name_of = [&](const char* name) {
    watch.BeginRange(&signature, name, 1);
    return watch.Find(1 + HeldUpWatch::kHeldUpNs)->kernel_name;
  };
  std::string gone = "a_kernel_of_a_module";
  watch.BeginRange(&signature, gone.c_str(), 1);
  gone.assign(gone.size(), '?');
  CHECK(watch.Find(1 + HeldUpWatch::kHeldUpNs)->kernel_name == "a_kernel_of_a_module");
  CHECK(name_of("short").size() == 5);
  CHECK(name_of("eight_by") == "eight_by");  // nothing is left of a longer one before
  CHECK(name_of(nullptr).empty());
  const std::string most(HeldUpWatch::kNameBytes, 'n');
  CHECK(name_of(most.c_str()) == most);
  CHECK(name_of((most + "x").c_str()) == most);
}

}  // namespace
}  // namespace prof::cupti::test::held_up_watch_test
