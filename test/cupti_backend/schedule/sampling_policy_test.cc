// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/sampling_policy.h"

#include <cstdint>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::sampling_policy_test {
namespace {

using Action = SampleSchedule::Action;

SessionOptions Options() {
  SessionOptions options;
  options.counters = Counters::kStalls;
  options.skip_first_launches = 0;
  return options;
}

Launch KernelLaunch(const char* name = "kernel") {
  static const int function = 0;
  Launch launch;
  launch.signature.function = &function;
  launch.kernel_name = name;
  return launch;
}

TEST_CASE("A launch is sampled for the group that is counted, while there is room") {
  SamplingPolicy policy(Options());
  SamplingPolicy::Entry* entry = policy.Consider(KernelLaunch(), 0, 1);
  REQUIRE(entry != nullptr);
  const SamplingPolicy::Decision first = policy.Next(*entry, {0, 2, -1, true}, 1);
  CHECK(first.action == Action::kRotate);
  CHECK(first.group == 0);
  policy.BeginVisit(0, 2, 0, 2);
  const SamplingPolicy::Decision sample = policy.Next(*entry, {0, 2, 0, true}, 3);
  CHECK(sample.action == Action::kSample);
  CHECK(sample.group == 0);
  const SamplingPolicy::Decision full = policy.Next(*entry, {0, 2, 0, false}, 3);
  CHECK(full.action == Action::kRotate);
  CHECK(full.group == 1);
}

TEST_CASE("Under replay a sample requests its group again, so that it is read") {
  SessionOptions options = Options();
  options.replay = Replay::kKernel;
  SamplingPolicy policy(options);
  SamplingPolicy::Entry* entry = policy.Consider(KernelLaunch(), 0, 1);
  REQUIRE(entry != nullptr);
  policy.BeginVisit(0, 1, 0, 1);
  REQUIRE(policy.Next(*entry, {0, 1, 0, true}, 2).action == Action::kSample);
  CHECK(policy.AfterSample(*entry, 0, 0, 2) == 0U);
}

TEST_CASE("A signature that held the program up is never considered again") {
  SamplingPolicy policy(Options());
  SamplingPolicy::Entry* entry = policy.Consider(KernelLaunch(), 0, 1);
  REQUIRE(entry != nullptr);
  CHECK(policy.ExcludeHeldUp(*entry, "kernel"));
  CHECK_FALSE(policy.ExcludeHeldUp(*entry, "kernel"));
  CHECK(policy.Consider(KernelLaunch(), 0, 2) == nullptr);
  CHECK(policy.Notices().size() == 1);
}

TEST_CASE("A kernel that waits for others by its name is not considered") {
  SamplingPolicy policy(Options());
  CHECK(policy.Consider(KernelLaunch("ncclDevKernel_AllReduce"), 0, 1) == nullptr);
  CHECK(policy.signatures() == 1);
}

TEST_CASE("Kernels that are loaded again and again do not use up the places of signatures") {
  SamplingPolicy policy(Options());
  const std::vector<char> functions(3 * SampleSchedule::kCapacity);
  SamplingPolicy::Entry* first = policy.Consider(KernelLaunch("first"), 0, 1);
  REQUIRE(first != nullptr);
  int64_t now_ns = 2;
  for (const char& function : functions) {
    Launch launch = KernelLaunch("loaded");
    launch.signature.function = &function;
    CHECK(policy.Consider(launch, 0, ++now_ns) != nullptr);
  }
  CHECK(policy.signatures_dropped() == 0);
  CHECK(policy.signatures() < SampleSchedule::kCapacity);
  CHECK(policy.Consider(KernelLaunch("first"), 0, ++now_ns) == first);
  SamplingPolicy::Entry* later = policy.Consider(KernelLaunch("later"), 0, ++now_ns);
  Launch grid = KernelLaunch("later");
  grid.signature.grid = {7, 1, 1};
  CHECK(policy.Consider(grid, 0, ++now_ns) != later);
}

}  // namespace
}  // namespace prof::cupti::test::sampling_policy_test
