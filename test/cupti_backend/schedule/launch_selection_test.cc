// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/launch_selection.h"

#include <string>
#include <vector>

#include "lib/capture/threads/thread_recorder.h"
#include "lib/format/waiting_kernels.h"
#include "test/support/catch.h"

namespace prof::cupti::test::launch_selection_test {
namespace {

constexpr const char* kAxpy = "_Z4axpyIfEviPKT_PS0_";  // void axpy<float>(int, ...)

SessionOptions With(const std::string& kernel, const std::string& range = "") {
  SessionOptions options;
  options.kernel_filter = kernel;
  options.range_filter = range;
  return options;
}

// The path id of nested ranges.
uint32_t PathOf(const std::vector<std::string>& names) {
  for (const std::string& name : names) capture::PushRange({name, {}, 0, 0});
  const uint32_t path = capture::CurrentPath();
  for (size_t i = 0; i < names.size(); ++i) capture::PopRange({});
  return path;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("Without filters every kernel may be sampled, also one without a name") {
  LaunchSelection selection(With(""));
  CHECK(selection.Decide(kAxpy, true) == Exclusion::kNone);
  CHECK(selection.Decide(nullptr, true) == Exclusion::kNone);
  CHECK(selection.RangeMatches(0));
  CHECK(selection.RangeMatches(PathOf({"anything"})));
  CHECK(selection.Notices(SampleSchedule(1, 0, 1)).empty());
}

TEST_CASE("The kernel filter is looked for in the demangled name") {
  LaunchSelection selection(With("^void axpy<float>\\("));
  CHECK(selection.Decide(kAxpy, true) == Exclusion::kNone);
  CHECK(selection.Decide("_Z4axpyIdEviPKT_PS0_", true) == Exclusion::kNotChosen);
  CHECK(selection.Decide(nullptr, true) == Exclusion::kNotChosen);
  LaunchSelection plain(With("triton_poi|axpy"));
  CHECK(plain.Decide("triton_poi_fused_0", true) == Exclusion::kNone);  // no mangled name
}

TEST_CASE("The range filter is looked for in the path, outermost first") {
  LaunchSelection selection(With("", "^step/layer \\d+/mlp$"));
  CHECK(selection.RangeMatches(PathOf({"step", "layer 3", "mlp"})));
  CHECK(selection.RangeMatches(PathOf({"step", "layer 3", "mlp"})));  // known by now
  CHECK_FALSE(selection.RangeMatches(PathOf({"step", "layer 3"})));
  CHECK_FALSE(selection.RangeMatches(PathOf({"layer 3", "mlp"})));
  CHECK_FALSE(selection.RangeMatches(0));
  CHECK(selection.Decide(kAxpy, false) == Exclusion::kNotChosen);
  LaunchSelection outside(With("", "^$"));
  CHECK(outside.RangeMatches(0));
}

// Ranges that differ in numbers count as one signature: the filter has to tell them apart first.
TEST_CASE("One of many numbered siblings can be chosen") {
  LaunchSelection selection(With("", "block 7$"));
  int matches = 0;
  for (int i = 0; i < 12; ++i) {
    matches += selection.RangeMatches(PathOf({"block " + std::to_string(i)})) ? 1 : 0;
  }
  CHECK(matches == 1);
}

TEST_CASE("A path with no end to it is cut, not refused") {
  LaunchSelection selection(With("", "end$"));
  std::vector<std::string> names(60, std::string(200, 'x'));
  names.emplace_back("end");
  CHECK(selection.RangeMatches(PathOf(names)));
}

TEST_CASE("Kernels that wait for other GPUs are known by their names") {
  for (const char* name :
       {"_Z33ncclDevKernel_AllReduce_Sum_f32_RING_LL16ncclDevKernelArgsStorageILm4096EE",
        "_Z27ncclSymkDevKernel_AllGatherv", "_Z12nvshmemi_waitv", "_ZN7mscclpp15executionKernelE",
        "_ZN7deep_ep12internode_ll8dispatchILb1EEEvPv",
        "_ZN4vllm26cross_device_reduce_1stageI6__halfLi8EEEvv",
        "_ZN12tensorrt_llm7kernels22oneShotAllReduceKernelIfLi8EEEvv",
        "_ZN10flashinfer23trtllm_allreduce_fusion39allreduce_fusion_kernel_oneshot_lamportEv",
        "_ZN43_GLOBAL__N__x_26two_shot_all_reduce_kernelIfLi16ELi8EEEvv",
        "_ZN4c10d26multimem_all_reduce_kernelEv", "_ZN4c10d16symmetric_memory14barrier_kernelEv",
        "_ZN4c10d18wait_signal_kernelEv", "_Z21kuserbuffers_pushrecviiPiS_i"}) {
    INFO(name);
    CHECK(format::WaitsForOthers(name));
    LaunchSelection all(With(""));
    CHECK(all.Decide(name, true) == Exclusion::kWaits);
    LaunchSelection wanted(With("."));  // asking for it does not make it safe
    CHECK(wanted.Decide(name, true) == Exclusion::kWaits);
  }
  for (const char* name : {kAxpy, "_Z13reduce_kernelILi512EEvv", "nvjet_hsh_128x64_TNT",
                           "_ZN2at6native13reduce_kernelEv", "ampere_sgemm_128x64_nn"}) {
    INFO(name);
    CHECK_FALSE(format::WaitsForOthers(name));
  }
}

TEST_CASE("Excluded kernels are counted and named in a notice, each name once") {
  LaunchSelection selection(With(""));
  SampleSchedule schedule(1, 0, 1);
  for (uint64_t key = 1; key <= 8; ++key) {
    bool is_new = false;
    SampleSchedule::Entry* entry = schedule.Find(key, &is_new);
    const std::string name = "ncclDevKernel_" + std::to_string(key / 2);
    schedule.Decide(*entry, 0, selection.Decide(name.c_str(), true));
    for (int i = 0; i < 10; ++i) CHECK_FALSE(schedule.Considers(*entry, 1));
  }
  const std::vector<capture::NoticeEvent> notices = selection.Notices(schedule);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].severity == capture::Severity::kInfo);
  CHECK(notices[0].subsystem == capture::Subsystem::kCounters);
  CHECK(notices[0].what ==
        "5 kernels named like one that waits for other kernels or GPUs: not sampled (80 "
        "launches): ncclDevKernel_0, ncclDevKernel_1, ncclDevKernel_2, ...");
}

TEST_CASE("A kernel that held the program up is excluded by name") {
  LaunchSelection selection(With(""));
  SampleSchedule schedule(1, 0, 1);
  bool is_new = false;
  SampleSchedule::Entry* entry = schedule.Find(1, &is_new);
  schedule.Decide(*entry, 0, selection.Decide(kAxpy, true));
  CHECK(schedule.Considers(*entry, 1));
  selection.Exclude(schedule, *entry, Exclusion::kHeldUp, kAxpy);
  CHECK_FALSE(schedule.Considers(*entry, 2));
  CHECK(schedule.unfinished() == 0);
  const std::vector<capture::NoticeEvent> notices = selection.Notices(schedule);
  REQUIRE(notices.size() == 1);
  CHECK(Has(notices[0].what, "1 kernel that held the program up"));
  CHECK(Has(notices[0].what, "axpy<float>(int"));
}

TEST_CASE("A filter that no kernel matches is said, with the filter") {
  LaunchSelection selection(With("gemm", "step"));
  SampleSchedule schedule(1, 0, 1);
  CHECK(selection.Notices(schedule).empty());  // nothing was launched
  bool is_new = false;
  schedule.Decide(*schedule.Find(1, &is_new), 0, selection.Decide(kAxpy, true));
  const std::vector<capture::NoticeEvent> notices = selection.Notices(schedule);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].severity == capture::Severity::kWarning);
  CHECK(Has(notices[0].what, "none of 1 kernel signature matches kernel 'gemm' range 'step'"));
  CHECK(schedule.Complete(1));  // nothing will come
}

TEST_CASE("Launches are skipped, then let in, then no more") {
  SessionOptions options;
  options.launch_skip = 3;
  options.launch_count = 2;
  LaunchSelection selection(options);
  std::string admitted;
  for (int i = 0; i < 8; ++i) {
    CHECK(selection.Exhausted() == (i >= 5));
    admitted += selection.Admits() ? '1' : '0';
  }
  CHECK(admitted == "00011000");
}

TEST_CASE("Without a window every launch is let in, and a skip alone has no end") {
  LaunchSelection all(With(""));
  SessionOptions options;
  options.launch_skip = 2;
  LaunchSelection later(options);
  for (int i = 0; i < 100; ++i) {
    CHECK(all.Admits());
    CHECK(later.Admits() == (i >= 2));
  }
  CHECK_FALSE(all.Exhausted());
  CHECK_FALSE(later.Exhausted());
}

TEST_CASE("Launches on several devices at once are counted") {
  LaunchSelection selection(With(""));
  selection.CountSeveralDevices();
  selection.CountSeveralDevices();
  const std::vector<capture::NoticeEvent> notices = selection.Notices(SampleSchedule(1, 0, 1));
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].what == "2 cooperative launches over several devices: not sampled");
}

}  // namespace
}  // namespace prof::cupti::test::launch_selection_test
