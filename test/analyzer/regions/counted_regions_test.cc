// SPDX-License-Identifier: Apache-2.0
//
// Counters that were read for a CUDA graph or an NVTX range as a whole.
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::counted_regions_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr char kTensor[] = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr char kClock[] = "gpc__cycles_elapsed.avg.per_second";
constexpr char kWindow[] = "gpu__time_duration.sum";

// A graph of a GEMM of 60 us, a pause of 10 us and an activation of 30 us: 100 us.
struct GraphRun {
  SnapshotBuilder b;
  uint32_t gemm = b.Shape("gemm", {132}, {256});
  uint32_t relu = b.Shape("relu", {1056}, {256});

  uint32_t Replay(int64_t start_ns, const char* path = "decode", int64_t gemm_ns = 60'000) {
    Launch how;
    how.graph = 7;
    how.correlation = b.Kernel(gemm, path, start_ns, start_ns + gemm_ns, how);
    how.no_api = true;
    return b.Kernel(relu, path, start_ns + gemm_ns + 10'000, start_ns + gemm_ns + 40'000, how);
  }
  Report Analyzed() {
    Report report = Analyze(b.Snapshot());
    REQUIRE(report.error.empty());
    return report;
  }
};

const RegionReport& Only(const Report& report) {
  REQUIRE(report.regions.size() == 1);
  return report.regions[0];
}

TEST_CASE("The counters of a graph are related to the time from its first to its last operation") {
  GraphRun run;
  run.Replay(0);
  run.Replay(200'000, "decode", 70'000);  // 110 us
  run.b.GraphSample(run.Replay(1'000'000), {{kDram, 40}, {kWindow, 125'000}});
  const Report report = run.Analyzed();
  const RegionReport& region = Only(report);
  CHECK(region.kind == RegionReport::Kind::kGraph);
  CHECK(region.label == "CUDA graph 7 in decode");
  CHECK(region.graph == 7);
  CHECK(region.instances == 3);
  CHECK(region.samples_used == 1);
  CHECK(region.metrics.at(kDram).median == Approx(50));
  CHECK(region.counted_ns.median == 125'000);
  CHECK(region.duration_ns.n == 2);  // the one with the counters is not among them
  CHECK(region.duration_ns.median == 105'000);
  CHECK(region.total_ns == 310'000);
  CHECK(region.share == Approx(310'000 / report.undisturbed_ns));
  REQUIRE(region.parts.size() == 2);
  CHECK(region.parts[0].name == "gemm");
  CHECK(region.parts[0].per_instance == 1);
  CHECK(region.parts[0].time_ns == Approx(190'000 / 3.0));
  CHECK(region.parts[0].share == Approx(190.0 / 280));
}

TEST_CASE("One graph launched in two ranges is two regions, unsampled graphs are none") {
  GraphRun run;
  run.b.GraphSample(run.Replay(0, "prefill"), {{kDram, 40}});
  run.b.GraphSample(run.Replay(200'000, "decode"), {{kDram, 60}});
  run.b.GraphSample(run.Replay(400'000, "decode"), {{kDram, 62}});
  run.Replay(600'000, "warmup");
  const Report report = run.Analyzed();
  REQUIRE(report.regions.size() == 2);
  CHECK(report.regions[0].range == "decode");
  CHECK(report.regions[0].metrics.at(kDram).median == 61);
  CHECK(report.regions[1].range == "prefill");
}

TEST_CASE("A graph's sample at another clock, or beside other work, is rejected") {
  GraphRun run;
  run.b.GraphSample(run.Replay(0), {{kDram, 40}, {kClock, 1.98e9}});
  run.b.GraphSample(run.Replay(200'000), {{kDram, 41}, {kClock, 1.97e9}});
  run.b.GraphSample(run.Replay(400'000), {{kDram, 20}, {kClock, 1.20e9}});
  const uint32_t disturbed = run.Replay(600'000);
  run.b.GraphSample(disturbed, {{kDram, 90}, {kClock, 1.98e9}});
  Launch beside;
  beside.stream = 9;
  int64_t start_ns = 0;
  SECTION("in its pause") { start_ns = 661'000; }
  SECTION("from before it") { start_ns = 599'000; }
  run.b.Memset(8, "", start_ns, start_ns + 2'000, beside);
  const Report report = run.Analyzed();
  CHECK(Only(report).samples_used == 2);
  CHECK(Only(report).samples_rejected == 2);
  CHECK(Only(report).metrics.at(kDram).max == 41);
}

TEST_CASE("A unit that is busy through all of a graph limits it") {
  GraphRun run;
  for (int i = 0; i < 3; ++i) {
    run.b.GraphSample(run.Replay(i * 200'000), {{kDram, 85}, {kTensor, 20}});
  }
  const Report report = run.Analyzed();
  const Verdict& verdict = Only(report).verdict;
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.rule == "dram-throughput");
  CHECK_THAT(verdict.summary, Contains("As a whole: Limited by DRAM at 85.0 %"));
  CHECK(verdict.gain_at_most == Approx(1 - 0.85 / 0.95));
}

TEST_CASE("A graph in which no unit is busy has no limiter as a whole, and a reason") {
  GraphRun run;
  run.b.GraphSample(run.Replay(0), {{kDram, 30}, {kTensor, 50}});
  const Report report = run.Analyzed();
  const Verdict& verdict = Only(report).verdict;
  CHECK(verdict.limiter == Limiter::kUnknown);
  CHECK_THAT(verdict.summary, Contains("the busiest is tensor pipe 50.0 % of peak"));
  CHECK_THAT(verdict.missing, Contains("L2"));  // units that were not read come first
  CHECK(verdict.gain_at_most == 0);
}

TEST_CASE("A kernel in a graph quotes the counters of the graph, and so does its row") {
  GraphRun run;
  run.b.GraphSample(run.Replay(0), {{kDram, 85}, {kTensor, 20}});
  const Report report = run.Analyzed();
  CHECK(report.kernel("gemm").verdict.limiter == Limiter::kNotMeasured);
  CHECK(report.kernel("gemm").verdict.missing ==
        "PM samples of it (record for longer), or counters outside of the graph: CUPTI does not "
        "count the kernels of a CUDA graph one by one; the "
        "graph as a whole: DRAM 85 % of peak (n=1), tensor 20 %");
  REQUIRE(report.rows.size() == 2);
  CHECK(report.rows[0].label == "decode");
  CHECK(report.rows[0].limiter == Limiter::kDram);
  CHECK_THAT(report.rows[0].evidence, Contains("the graph as a whole: DRAM 85 %"));
}

TEST_CASE("A sample of a graph launch without recorded operations is named as not used") {
  GraphRun run;
  run.Replay(0);
  run.b.GraphSample(run.b.Api("cudaGraphLaunch", 500'000, 510'000), {{kDram, 85}});
  const Report report = run.Analyzed();
  CHECK(report.regions.empty());
  REQUIRE(report.integrity.size() == 1);
  CHECK_THAT(report.integrity[0], Contains("1 counter sample of CUDA graphs or ranges"));
}

// A range of 100 us on the host with a kernel of 10 us and one of 20 us.
struct RangeRun {
  SnapshotBuilder b;
  uint32_t shape = b.Shape("saxpy", {1056}, {256});

  void Enter(const std::string& path, int64_t start_ns, const std::string& inner = "") {
    b.Range(path, start_ns, start_ns + 100'000);
    if (!inner.empty()) b.Range(path + inner, start_ns + 2'000, start_ns + 60'000);
    b.Kernel(shape, path + inner, start_ns + 20'000, start_ns + 30'000);
    b.Kernel(shape, path + inner, start_ns + 50'000, start_ns + 70'000);
  }
  void Sampled(const std::string& path, int64_t start_ns, const std::string& inner = "",
               double dram = 20) {
    Enter(path, start_ns, inner);
    b.RangeSample(path, start_ns + 1'000, start_ns + 99'000, {{kDram, dram}, {kWindow, 60'000}});
  }
};

TEST_CASE("The counters of a range are related to the time in which its operations ran") {
  RangeRun run;
  run.Enter("step", 0);
  run.Sampled("step", 1'000'000);
  run.b.Range("step", 2'000'000, 2'001'000);  // without GPU work
  const Report report = Analyze(run.b.Snapshot());
  const RegionReport& region = Only(report);
  CHECK(region.kind == RegionReport::Kind::kRange);
  CHECK(region.label == "step");
  CHECK(region.instances == 2);
  CHECK(region.duration_ns.n == 1);
  CHECK(region.duration_ns.median == 30'000);
  CHECK(region.host_ns.median == 100'000);
  CHECK(region.counted_ns.median == 60'000);
  CHECK(region.metrics.at(kDram).median == Approx(40));
  CHECK(region.parts.at(0).per_instance == 2);
  CHECK(report.kernel("saxpy").verdict.missing ==
        "counters of its own: it was counted with the other work of its range only; the range step "
        "as a whole: DRAM 40 % of peak (n=1)");
}

TEST_CASE("Counted ranges that differ in numbers are one region, with the work of ranges inside") {
  RangeRun run;
  for (int i = 0; i < 4; ++i) run.Enter("layer " + std::to_string(i), i * 200'000, "/mlp");
  run.Sampled("layer 3", 1'000'000, "/mlp");
  const Report report = Analyze(run.b.Snapshot());
  const RegionReport& region = Only(report);
  CHECK(region.label == "layer * (4 ranges)");
  CHECK(region.instances == 5);
  CHECK(region.samples_used == 1);
  CHECK(region.duration_ns.median == 30'000);
}

TEST_CASE("A range's sample in which another thread's work ran is rejected") {
  RangeRun run;
  run.Sampled("step", 0, "", 30);
  run.Sampled("step", 1'000'000);
  Launch other;
  other.tid = 2000;
  other.stream = 9;
  run.b.Kernel(run.shape, "", 1'055'000, 1'080'000, other);
  const Report report = Analyze(run.b.Snapshot());
  CHECK(Only(report).samples_used == 1);
  CHECK(Only(report).samples_rejected == 1);
  CHECK(Only(report).metrics.at(kDram).median == Approx(60));
}

TEST_CASE("A sample of a range without recorded work is named as not used") {
  RangeRun run;
  run.b.Range("step", 0, 100'000);
  run.b.RangeSample("step", 1'000, 99'000, {{kDram, 30}});
  run.Enter("other", 200'000);
  const Report report = Analyze(run.b.Snapshot());
  CHECK(Only(report).samples_rejected == 1);
  CHECK(Only(report).verdict.limiter == Limiter::kNotMeasured);
  REQUIRE(report.integrity.size() == 1);
  CHECK_THAT(report.integrity[0], Contains("1 counter sample of CUDA graphs or ranges"));
}

}  // namespace
}  // namespace prof::counted_regions_test
