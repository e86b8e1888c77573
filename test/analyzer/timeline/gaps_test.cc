// SPDX-License-Identifier: Apache-2.0
//
// Why a device idled. Each case plants one cause between two kernels: the first ends at 200'000.
#include "lib/analyzer/timeline/gaps.h"

#include <string>

#include "lib/analyzer/timeline/gap_cause.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::gaps_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

constexpr int64_t kEnd = 200'000;  // of the kernel before the gap

struct Planted {
  SnapshotBuilder b;
  uint32_t shape = b.Shape("saxpy", {132}, {256});

  void First() { b.Kernel(shape, "", 100'000, kEnd); }

  // The kernel after the gap.
  uint32_t Next(int64_t start_ns, int64_t api_start_ns, int64_t api_end_ns) {
    Launch how;
    how.api_start_ns = api_start_ns;
    how.api_end_ns = api_end_ns;
    return b.Kernel(shape, "", start_ns, start_ns + 50'000, how);
  }

  model::Model Read() {
    absl::StatusOr<model::Model> m = ReadSnapshot(b.Bytes());
    REQUIRE(m.ok());
    return *std::move(m);
  }
};

Gap OnlyGap(const model::Model& m) {
  const Timeline t = BuildTimeline(m);
  REQUIRE(t.devices.size() == 1);
  REQUIRE(t.devices[0].gaps.size() == 1);
  return t.devices[0].gaps[0];
}

GapSummary OnlySummary(const model::Model& m) {
  const std::vector<GapSummary> gaps = SummarizeGaps(m, BuildTimeline(m));
  REQUIRE(gaps.size() == 1);
  return gaps[0];
}

TEST_CASE("A thread that waited for the GPU and then launched: sync") {
  Planted p;
  p.First();
  p.b.Api("cudaStreamSynchronize_v3020", 110'000, 203'000);
  p.Next(215'000, 206'000, 210'000);
  const model::Model m = p.Read();
  const Gap gap = OnlyGap(m);
  CHECK(gap.cause == GapCause::kSync);
  CHECK(m.strings[m.api_calls[gap.api].name] == "cudaStreamSynchronize_v3020");
  const GapSummary summary = OnlySummary(m);
  CHECK(summary.where == "cudaStreamSynchronize");
  CHECK_THAT(summary.example, Contains("15.0 us before saxpy") &&
                                  Contains("3.00 us until cudaStreamSynchronize returned") &&
                                  Contains("3.00 us of host code") &&
                                  Contains("4.00 us in cudaLaunchKernel") &&
                                  Contains("5.00 us from its return"));
}

TEST_CASE("Calls that wait inside the driver count as waits: sync copies, cudaFree, cudaMalloc") {
  for (const char* api : {"cudaMemcpy", "cudaFree", "cudaMalloc", "cuMemFree_v2"}) {
    INFO(api);
    Planted p;
    p.First();
    p.b.Api(api, 150'000, 240'000);
    p.Next(250'000, 242'000, 246'000);
    CHECK(OnlyGap(p.Read()).cause == GapCause::kSync);
  }
}

TEST_CASE("An allocation that takes most of the gap is a wait even when it began in it") {
  Planted p;
  p.First();
  p.b.Api("cudaMalloc", 210'000, 280'000);
  p.Next(300'000, 290'000, 295'000);
  CHECK(OnlyGap(p.Read()).cause == GapCause::kSync);
}

TEST_CASE("An Async copy of pageable memory blocks its thread") {
  Planted p;
  p.First();
  Launch how;
  how.api_start_ns = 110'000;
  how.api_end_ns = 231'000;
  p.b.Copy(model::CopyKind::kDeviceToHost, model::MemoryKind::kDevice, model::MemoryKind::kPageable,
           1 << 20, "", kEnd, 230'000, how);
  p.Next(240'000, 233'000, 236'000);
  const Gap gap = OnlyGap(p.Read());
  CHECK(gap.start_ns == 230'000);
  CHECK(gap.cause == GapCause::kSync);
}

TEST_CASE("Launches that cannot keep up, without a wait: launch") {
  Planted p;
  p.First();
  p.Next(212'000, 203'000, 208'000);
  const model::Model m = p.Read();
  CHECK(OnlyGap(m).cause == GapCause::kLaunch);
  CHECK_THAT(OnlySummary(m).example, Contains("3.00 us of host code") &&
                                         Contains("5.00 us in cudaLaunchKernel") &&
                                         Contains("4.00 us from its return"));
}

TEST_CASE("A launch that was under way when the GPU ran dry came too late as well") {
  Planted p;
  p.First();
  p.Next(203'000, 197'000, 201'000);
  CHECK(OnlyGap(p.Read()).cause == GapCause::kLaunch);
}

TEST_CASE("Other CUDA calls before the launch are launch cost, not host work") {
  Planted p;
  p.First();
  for (int64_t i = 0; i < 9; ++i) {
    p.b.Api("cudaEventRecord", kEnd + i * 10'000, kEnd + i * 10'000 + 9'000);
  }
  p.Next(300'000, 291'000, 296'000);
  const model::Model m = p.Read();
  CHECK(OnlyGap(m).cause == GapCause::kLaunch);
  CHECK_THAT(OnlySummary(m).example, Contains("81.0 us in other CUDA calls"));
}

TEST_CASE("A thread in its own code for most of a long gap: host work, named by its range") {
  Planted p;
  p.First();
  p.b.Range("step", 0, 900'000);
  p.b.Range("step/prep", 210'000, 690'000);
  p.Next(705'000, 700'000, 703'000);
  const model::Model m = p.Read();
  const Gap gap = OnlyGap(m);
  CHECK(gap.cause == GapCause::kHostWork);
  CHECK(m.paths[gap.path].full == "step/prep");
  CHECK(OnlySummary(m).where == "step/prep");
}

TEST_CASE("Long host work after a short wait is host work: the wait is not what cost the time") {
  Planted p;
  p.First();
  p.b.Api("cudaDeviceSynchronize", 120'000, 202'000);
  p.Next(705'000, 700'000, 703'000);
  CHECK(OnlyGap(p.Read()).cause == GapCause::kHostWork);
}

// A wait of 80 us, then kernels of 2 us, each launched 6 us behind the one before.
GapTable AfterWait(int kernels, bool with_wait) {
  Planted p;
  p.First();
  if (with_wait) p.b.Api("cudaDeviceSynchronize", 122'000, 202'000);
  for (int64_t i = 0; i < kernels; ++i) {
    Launch how;
    how.api_start_ns = 203'000 + i * 6'000;
    how.api_end_ns = 208'000 + i * 6'000;
    p.b.Kernel(p.shape, "", 210'000 + i * 6'000, 212'000 + i * 6'000, how);
  }
  return BuildTimeline(p.Read()).devices.at(0).gaps;
}

TEST_CASE("While the queue fills again behind a wait, the gaps are the wait's") {
  for (const Gap& gap : AfterWait(8, true)) {
    CHECK(gap.cause == GapCause::kSync);
    CHECK(gap.wait == gap.api);
    CHECK(gap.after_wait_ns == gap.undisturbed_ns());
  }
  for (const Gap& gap : AfterWait(8, false)) CHECK(gap.cause == GapCause::kLaunch);
}

TEST_CASE(
    "A wait owns no more gaps than it took: behind them launches are too slow by themselves") {
  const GapTable gaps = AfterWait(100, true);
  int64_t waits_ns = 0, launches_ns = 0;
  for (const Gap& gap : gaps) {
    (gap.cause == GapCause::kSync ? waits_ns : launches_ns) += gap.undisturbed_ns();
  }
  CHECK(waits_ns >= 76'000);
  CHECK(waits_ns <= 84'000);
  CHECK(launches_ns == 99 * 4'000 + 10'000 - waits_ns);
  CHECK(gaps.back().cause == GapCause::kLaunch);
}

TEST_CASE("Host work behind a longer wait is the wait's: it would run while the GPU works") {
  Planted p;
  p.First();
  p.b.Api("cudaDeviceSynchronize", 105'000, 202'000);
  p.Next(355'000, 350'000, 353'000);
  CHECK(OnlyGap(p.Read()).cause == GapCause::kSync);
}

// A long wait, a kernel that covers the launch behind it, and a wait of `wait_ns` at its end.
GapCause BehindALaterWait(int64_t wait_ns) {
  Planted p;
  p.First();
  p.b.Api("cudaDeviceSynchronize", 100'500, 202'000);
  Launch how;
  how.api_start_ns = 203'000;
  how.api_end_ns = 208'000;
  p.b.Kernel(p.shape, "", 210'000, 1'000'000, how);
  p.b.Api("cudaDeviceSynchronize", 1'000'500 - wait_ns, 1'000'500);
  p.Next(1'160'000, 1'155'000, 1'158'000);
  return BuildTimeline(p.Read()).devices.at(0).gaps.back().cause;
}

TEST_CASE("A thread that waits again was ahead: what an earlier wait took explains nothing more") {
  CHECK(BehindALaterWait(30'000) == GapCause::kHostWork);
  CHECK(BehindALaterWait(100'000) == GapCause::kSync);  // it took long enough itself
  CHECK(BehindALaterWait(5'000) == GapCause::kSync);    // there was nothing to wait for
}

// A wait that finds nothing to wait for, and 150 us of host work behind it. Elsewhere calls of the
// same name waited for long.
GapCause BehindAShortWait(int others, int64_t prof_begin_ns) {
  Planted p;
  p.b.Profiler(model::ProfilerWork::kSample, prof_begin_ns, prof_begin_ns + 10'000);
  p.First();
  p.b.Api("cudaDeviceSynchronize", 200'500, 202'000);
  p.Next(355'000, 350'000, 353'000);
  for (int64_t i = 0; i < others; ++i) {
    p.b.Api("cudaDeviceSynchronize", 1'000'000 + i * 1'000'000, 1'900'000 + i * 1'000'000, 77);
  }
  return OnlyGap(p.Read()).cause;
}

TEST_CASE("A wait that prof shortened is as long as the others, where there are enough of them") {
  CHECK(BehindAShortWait(3, 150'000) == GapCause::kSync);
  // Of one wait nobody knows whether it is usual.
  CHECK(BehindAShortWait(1, 150'000) == GapCause::kHostWork);
  // prof worked before the thread's first call: nothing was launched that it could have waited for.
  CHECK(BehindAShortWait(3, 10'000) == GapCause::kHostWork);
}

TEST_CASE("Where no GPU worked while prof held the thread, prof shortened no wait") {
  Planted p;
  p.b.Api("cudaMalloc", 10'000, 12'000);
  p.b.Profiler(model::ProfilerWork::kSetup, 20'000, 90'000);
  p.First();
  p.b.Api("cudaDeviceSynchronize", 200'500, 202'000);
  p.Next(355'000, 350'000, 353'000);
  for (int64_t i = 1; i < 4; ++i) {
    p.b.Api("cudaDeviceSynchronize", i * 1'000'000, i * 1'000'000 + 900'000, 77);
  }
  const Gap gap = OnlyGap(p.Read());
  CHECK(gap.cause == GapCause::kHostWork);
  CHECK(gap.without_waits_ns <= 1'500 + 2'000);
}

TEST_CASE("A wait behind a sample is taken as shortened, although its kernel has no record") {
  Planted p;
  p.b.Api("cudaMalloc", 10'000, 12'000);
  p.First();
  p.b.Profiler(model::ProfilerWork::kSample, 200'100, 200'400);  // no GPU work has a time then
  p.b.Api("cudaDeviceSynchronize", 200'500, 202'000);
  p.Next(355'000, 350'000, 353'000);
  for (int64_t i = 1; i < 4; ++i) {
    p.b.Api("cudaDeviceSynchronize", i * 1'000'000, i * 1'000'000 + 900'000, 77);
  }
  CHECK(OnlyGap(p.Read()).cause == GapCause::kSync);
}

TEST_CASE("The same in a short gap is the cost of a launch") {
  Planted p;
  p.First();
  p.Next(215'000, 214'000, 214'500);
  CHECK(OnlyGap(p.Read()).cause == GapCause::kLaunch);
}

TEST_CASE("A kernel queued long before waits on the device: dependency") {
  Planted p;
  p.First();
  p.Next(201'000, 120'000, 124'000);
  const model::Model m = p.Read();
  CHECK(OnlyGap(m).cause == GapCause::kDependency);
  CHECK_THAT(OnlySummary(m).example, Contains("80.0 us before the gap"));
}

TEST_CASE("Beside a copy that was queued long before: transfer") {
  Planted p;
  Launch early;
  early.api_start_ns = 50'000;
  early.api_end_ns = 52'000;
  p.b.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned, model::MemoryKind::kDevice,
           1 << 20, "", 100'000, kEnd, early);
  p.Next(203'000, 60'000, 64'000);
  CHECK(OnlyGap(p.Read()).cause == GapCause::kTransfer);
}

TEST_CASE("Between two kernels of one graph launch: dependency") {
  Planted p;
  Launch graph;
  graph.graph = 1;
  graph.correlation = 9;
  p.b.Kernel(p.shape, "", 100'000, kEnd, graph);
  graph.no_api = true;
  p.b.Kernel(p.shape, "", 201'500, 210'000, graph);
  CHECK(OnlyGap(p.Read()).cause == GapCause::kDependency);
}

TEST_CASE("Without the record of the launch the cause is unknown") {
  Planted p;
  p.First();
  Launch lost;
  lost.no_api = true;
  p.b.Kernel(p.shape, "", 250'000, 260'000, lost);
  const model::Model m = p.Read();
  CHECK(OnlyGap(m).cause == GapCause::kUnknown);
  CHECK_THAT(OnlySummary(m).example, Contains("not recorded"));
}

TEST_CASE("A gap beside a sampled kernel is the profiler's, of a longer hold only its time") {
  SECTION("beside a sampled kernel") {
    Planted p;
    p.First();
    p.b.Sample(p.Next(900'000, 203'000, 890'000), {{"m", 1}});
    CHECK(OnlyGap(p.Read()).cause == GapCause::kProfiler);
  }
  SECTION("filled by a rotation") {
    Planted p;
    p.First();
    p.b.Profiler(model::ProfilerWork::kRotate, 205'000, 28'000'000);
    p.Next(29'000'000, 28'500'000, 28'510'000);
    const model::Model m = p.Read();
    CHECK(OnlyGap(m).disturbed_ns == 27'795'000);
    CHECK(OnlyGap(m).cause == GapCause::kHostWork);
    CHECK(BuildTimeline(m).devices[0].profiler_ns == 27'795'000);
    CHECK(OnlySummary(m).total_ns == 1'005'000);
    CHECK_THAT(OnlySummary(m).example, Contains("27.8 ms of it are prof's"));
  }
}

TEST_CASE("A short sample does not excuse a long gap") {
  Planted p;
  p.First();
  p.b.Profiler(model::ProfilerWork::kSample, 9'999'000, 10'050'000);
  p.b.Sample(p.Next(10'060'000, 10'000'000, 10'040'000), {{"m", 1}});
  CHECK(OnlyGap(p.Read()).cause == GapCause::kHostWork);
}

TEST_CASE("The parts of every late gap sum to the gap") {
  Planted p;
  p.First();
  p.b.Api("cudaStreamSynchronize", 110'000, 203'000);
  p.b.Api("cudaEventRecord", 205'000, 206'000);
  p.b.Api("cudaMalloc", 210'000, 214'000);
  p.Next(240'000, 220'000, 229'000);
  const model::Model m = p.Read();
  const Gap gap = OnlyGap(m);
  const GapParts parts = GapClassifier(m).Parts(gap);
  CHECK(parts.blocked_ns == 3'000);
  CHECK(parts.cuda_ns == 5'000);
  CHECK(parts.host_ns == 12'000);
  CHECK(parts.launch_ns == 9'000);
  CHECK(parts.latency_ns == 11'000);
  CHECK(parts.blocked_ns + parts.cuda_ns + parts.host_ns + parts.launch_ns + parts.latency_ns ==
        gap.end_ns - gap.start_ns);
}

TEST_CASE("The longest gap names its range by the number that the family's path lacks") {
  Planted p;
  p.b.Step(test::kMainTid, 1'000, "step *");
  p.First();
  p.b.Step(test::kMainTid, kEnd, "");
  p.b.Step(test::kMainTid, kEnd + 1, "step *");
  p.Next(240'000, 230'000, 235'000);
  p.b.edit = [](wire::Block& block) {
    for (wire::RangePath& path : *block.mutable_range_paths()) path.add_star(5);
    const wire::RangeColumns& ranges = block.ranges();
    wire::NameNumbers* numbers = block.mutable_ranges()->mutable_numbers();
    int last = 0;
    for (int row = 0; row < ranges.path_size(); ++row) {
      if (ranges.path(row) == 0) continue;
      numbers->add_row_delta(static_cast<uint32_t>(row - last));
      numbers->add_value_delta(1'234);  // 1,234 and 2,468
      last = row;
    }
  };
  const model::Model m = p.Read();
  REQUIRE(m.truncation.empty());
  CHECK_THAT(OnlySummary(m).example, Contains(" in step 2468"));
}

TEST_CASE("Gaps of one cause are summed, the longest is the example") {
  Planted p;
  p.First();
  p.Next(212'000, 203'000, 208'000);  // runs to 262'000
  p.Next(280'000, 271'000, 275'000);
  const GapSummary summary = OnlySummary(p.Read());
  CHECK(summary.count == 2);
  CHECK(summary.total_ns == 12'000 + 18'000);
  CHECK(summary.longest_ns == 18'000);
  CHECK(summary.where == "(no range)");
  CHECK_THAT(summary.example, Contains("18.0 us"));
}

// The next launch takes 800 us in its call; most of that is covered by the overhead record.
Gap GapUnder(const char* overhead, int64_t from_ns, int64_t to_ns, uint32_t tid) {
  Planted p;
  p.First();
  p.b.Overhead(overhead, from_ns, to_ns, tid);
  p.Next(1'010'000, 205'000, 1'005'000);
  return OnlyGap(p.Read());
}

TEST_CASE("Code that a call loads is the cause, also where CUPTI has no overhead of it") {
  for (const char* call : {"cuLibraryLoadData", "cuModuleLoadDataEx", "cudaLibraryLoadFromFile"}) {
    INFO(call);
    Planted p;
    p.First();
    p.b.Api(call, 210'000, 900'000);
    p.Next(1'010'000, 995'000, 1'005'000);
    CHECK(OnlyGap(p.Read()).cause == GapCause::kLoading);
  }
  Planted p;
  p.First();
  p.b.Api("cuModuleGetLoadingMode", 210'000, 900'000);
  p.Next(1'010'000, 995'000, 1'005'000);
  CHECK(OnlyGap(p.Read()).cause != GapCause::kLoading);
}

TEST_CASE("The launch next to a call that loads code may load the rest of it, a later one not") {
  for (const char* between : {"", "cuFuncGetAttribute", "cudaStreamSynchronize_v3020"}) {
    INFO(between);
    Planted p;
    p.First();
    p.b.Api("cuLibraryLoadData", 202'000, 210'000);
    if (*between != 0) p.b.Api(between, 211'000, 212'000);
    p.Next(1'010'000, 215'000, 1'005'000);
    const bool loads = std::string(between) != "cudaStreamSynchronize_v3020";
    CHECK((OnlyGap(p.Read()).cause == GapCause::kLoading) == loads);
  }
  Planted p;
  p.First();
  p.b.Api("cuLibraryLoadData", 110'000, 120'000);
  p.Next(210'000, 125'000, 130'000);
  p.Next(1'210'000, 265'000, 1'205'000);  // the second launch behind it is a slow launch
  const Timeline t = BuildTimeline(p.Read());
  REQUIRE(t.devices[0].gaps.size() == 2);
  CHECK(t.devices[0].gaps[1].cause == GapCause::kLaunch);
}

TEST_CASE("Code that is loaded in a part of a gap has that part, and no other cause does") {
  Planted p;
  p.First();
  p.b.Api("cuLibraryLoadData", 810'000, 910'000);
  p.Next(1'010'000, 995'000, 1'005'000);
  const model::Model m = p.Read();
  const Gap gap = OnlyGap(m);
  CHECK(gap.cause == GapCause::kHostWork);
  CHECK(gap.beside_ns == 100'000);
  CHECK(gap.of_cause_ns(GapCause::kHostWork) + gap.of_cause_ns(GapCause::kLoading) == 810'000);
  const std::vector<GapSummary> gaps = SummarizeGaps(m, BuildTimeline(m));
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].total_ns + gaps[1].total_ns == 810'000);
  CHECK(gaps[1].cause == GapCause::kLoading);
  CHECK(gaps[1].total_ns == static_cast<double>(gap.beside_ns));
  CHECK_THAT(gaps[1].example, Contains("code was loaded in "));
}

TEST_CASE("Host work in a gap in which most of the time went to code has its part as well") {
  Planted p;
  p.First();
  p.b.Api("cuLibraryLoadData", 210'000, 710'000);
  p.Next(1'010'000, 995'000, 1'005'000);
  const model::Model m = p.Read();
  const Gap gap = OnlyGap(m);
  CHECK(gap.cause == GapCause::kLoading);
  CHECK(gap.of_cause_ns(GapCause::kHostWork) == 10'000 + 285'000);
  CHECK(gap.of_cause_ns(GapCause::kHostWork) + gap.of_cause_ns(GapCause::kLoading) == 810'000);
  const std::vector<GapSummary> gaps = SummarizeGaps(m, BuildTimeline(m));
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].cause == GapCause::kLoading);
  CHECK_THAT(gaps[0].example, Contains("host work took 295 us of it"));
}

TEST_CASE("A copy that waits for itself is not the wait that the gap before it is named after") {
  Planted p;
  p.First();
  Launch how;
  how.api_start_ns = 600'000;
  how.api_end_ns = 640'000;
  p.b.Copy(model::CopyKind::kDeviceToHost, model::MemoryKind::kDevice, model::MemoryKind::kPageable,
           1 << 20, "", 610'000, 639'000, how);
  p.Next(660'000, 648'000, 655'000);
  const model::Model m = p.Read();
  const Timeline t = BuildTimeline(m);
  REQUIRE(t.devices[0].gaps.size() == 2);
  const Gap before = t.devices[0].gaps[0];
  CHECK(before.cause == GapCause::kHostWork);
  CHECK(before.wait == model::kNoIndex);
  CHECK(before.after_wait_ns == 0);
  const Gap behind = t.devices[0].gaps[1];
  CHECK(behind.cause == GapCause::kSync);
  CHECK(m.api_calls[behind.api].start_ns == 600'000);
}

TEST_CASE("A launch next to a load in which prof sampled makes no later launch late by loading") {
  Planted p;
  p.First();
  p.b.Api("cuLibraryLoadData", 202'000, 210'000);
  p.b.Profiler(model::ProfilerWork::kSample, 216'000, 20'216'000);
  p.Next(20'220'000, 215'000, 20'219'000);
  int64_t end_ns = 20'270'000;
  for (int i = 0; i < 20; ++i) {
    p.Next(end_ns + 6'000, end_ns + 1'000, end_ns + 5'000);
    end_ns += 56'000;
  }
  const Timeline t = BuildTimeline(p.Read());
  REQUIRE(t.devices[0].gaps.size() == 21);
  for (size_t i = 2; i < t.devices[0].gaps.size(); ++i) {  // the first two are prof's
    CHECK(t.devices[0].gaps[i].cause == GapCause::kLaunch);
  }
}

TEST_CASE("A launch that prof held up behind a load did not load code all that time") {
  Planted p;
  p.First();
  p.b.Api("cuLibraryLoadData", 202'000, 210'000);
  p.b.Profiler(model::ProfilerWork::kSetup, 2'216'000, 20'216'000);
  p.Next(20'220'000, 2'215'000, 20'219'000);  // behind 2 ms of host code
  CHECK(OnlyGap(p.Read()).cause == GapCause::kHostWork);
}

TEST_CASE("Code that is loaded at a first launch is the cause, not the launch") {
  for (const char* kind : {"lazy function loading", "module loading", "driver compiler"}) {
    INFO(kind);
    CHECK(GapUnder(kind, 210'000, 990'000, test::kMainTid).cause == GapCause::kLoading);
  }
  // A small part of the gap, another thread, another overhead.
  CHECK(GapUnder("module loading", 210'000, 300'000, test::kMainTid).cause == GapCause::kLaunch);
  CHECK(GapUnder("module loading", 210'000, 990'000, 77).cause == GapCause::kLaunch);
  CHECK(GapUnder("command buffer full", 210'000, 990'000, test::kMainTid).cause ==
        GapCause::kLaunch);
}

TEST_CASE("Idle time that tracing made is the profiler's") {
  CHECK(GapUnder("CUPTI resources", 210'000, 990'000, test::kMainTid).cause == GapCause::kProfiler);
  // What CUPTI does on a thread of its own holds no launch up.
  CHECK(GapUnder("CUPTI buffer flush", 210'000, 990'000, 77).cause == GapCause::kLaunch);
}

TEST_CASE("Launches in whose call code was loaded are counted") {
  Planted p;
  p.First();
  p.b.Overhead("lazy function loading", 210'000, 990'000);
  p.Next(1'010'000, 205'000, 1'005'000);
  p.Next(1'110'000, 1'080'000, 1'085'000);
  const Report report = Analyze(p.b.Snapshot());
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels[0].launches == 3);
  CHECK(report.kernels[0].loading_launches == 1);
}

}  // namespace
}  // namespace prof::analyzer::gaps_test
