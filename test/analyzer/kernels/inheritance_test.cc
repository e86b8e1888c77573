// SPDX-License-Identifier: Apache-2.0
//
// Who lends counters to whom: the same kernel at the same time elsewhere, and nobody else.
#include "lib/analyzer/kernels/inheritance.h"

#include <algorithm>
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::inheritance_test {
namespace {

using Catch::Contains;

const std::string kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
const std::string kDramPm = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
const std::string kL2Pm = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed";
const std::string kTensorPm =
    "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed";
constexpr int64_t kUs = 1'000;

// Launches of kernels one after another.
struct Launches {
  SnapshotBuilder b;
  int64_t at_ns = 1'000 * kUs;

  void Run(uint32_t shape, const std::string& path, int64_t length_ns, int times, double dram = 0,
           Launch how = {}) {
    for (int i = 0; i < times; ++i) {
      how.correlation = 0;
      const uint32_t id = b.Kernel(shape, path, at_ns, at_ns + length_ns, how);
      if (dram > 0) b.Sample(id, {{kDram, dram}});
      at_ns += length_ns + 20 * kUs;
    }
  }
};

const KernelReport& In(const Report& report, const std::string& range, bool in_graph = false) {
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.range == range && kernel.in_graph == in_graph) return kernel;
  }
  FAIL("no kernel in " << range);
  return report.kernels.front();
}

TEST_CASE("A kernel without counters takes those of the same kernel under another path") {
  Launches l;
  const uint32_t k = l.b.Shape("k", {1320}, {256});
  l.Run(k, "warmup", 100 * kUs, 5, 90);
  l.Run(k, "serve", 105 * kUs, 5);
  const Report report = Analyze(l.b.Snapshot());
  const KernelReport& own = In(report, "warmup");
  const KernelReport& heir = In(report, "serve");
  CHECK(own.counters_from.empty());
  CHECK(own.samples_used == 5);
  CHECK(heir.counters_from == "the same kernel under `warmup`, 5 samples");
  CHECK(heir.samples_used == 0);
  CHECK(heir.Metric(kDram) == own.Metric(kDram));
  CHECK(heir.verdict.limiter == Limiter::kDram);
  CHECK(heir.verdict.confidence == std::min(Confidence::kMedium, own.verdict.confidence));
  CHECK(std::any_of(heir.verdict.doubts.begin(), heir.verdict.doubts.end(),
                    [](const Doubt& doubt) { return doubt.id == "lent"; }));
  REQUIRE_FALSE(heir.verdict.evidence.empty());
  CHECK(heir.verdict.evidence.front() == "counters of the same kernel under `warmup`, 5 samples");
}

TEST_CASE("The node of a graph takes the counters of the eager launches") {
  Launches l;
  const uint32_t k = l.b.Shape("k", {1320}, {256});
  l.Run(k, "", 50 * kUs, 3, 80);
  Launch node;
  node.api = "cudaGraphLaunch";
  node.graph = 3;
  node.graph_node = 1;
  l.Run(k, "decode", 50 * kUs, 10, 0, node);
  const Report report = Analyze(l.b.Snapshot());
  const KernelReport& heir = In(report, "decode", true);
  CHECK(heir.counters_from == "the same kernel outside of ranges, 3 samples");
  CHECK(heir.verdict.limiter == Limiter::kDram);
}

TEST_CASE("What takes another time does other work, and takes nothing") {
  Launches l;
  const uint32_t k = l.b.Shape("k", {1320}, {256});
  l.Run(k, "small", 50 * kUs, 5, 90);
  l.Run(k, "large", 100 * kUs, 5);
  l.Run(k, "nearly", 57 * kUs, 5);
  l.Run(k, "just not", 60 * kUs, 5);
  const Report report = Analyze(l.b.Snapshot());
  CHECK(In(report, "large").counters_from.empty());
  CHECK(In(report, "large").verdict.limiter == Limiter::kNotMeasured);
  CHECK_FALSE(In(report, "nearly").counters_from.empty());
  CHECK(In(report, "just not").counters_from.empty());
}

TEST_CASE("Another grid, block, shared memory, kernel or device lends nothing") {
  Launches l;
  l.b.Device(H200(0));
  l.b.Device(H200(1));
  l.Run(l.b.Shape("k", {1320}, {256}), "own", 100 * kUs, 5, 90);
  Launch elsewhere;
  SECTION("grid") { l.Run(l.b.Shape("k", {1321}, {256}), "other", 100 * kUs, 5); }
  SECTION("block") { l.Run(l.b.Shape("k", {1320}, {128}), "other", 100 * kUs, 5); }
  SECTION("kernel") { l.Run(l.b.Shape("j", {1320}, {256}), "other", 100 * kUs, 5); }
  SECTION("shared memory") {
    l.Run(l.b.Shape("k", {1320}, {256}, 32, 0, 1024), "other", 100 * kUs, 5);
  }
  SECTION("device") {
    elsewhere.device = 1;
    elsewhere.context = 2;
    l.Run(l.b.Shape("k", {1320}, {256}), "other", 100 * kUs, 5, 0, elsewhere);
  }
  CHECK(In(Analyze(l.b.Snapshot()), "other").counters_from.empty());
}

TEST_CASE("The one with most samples lends, own counters stay, and nothing is mixed") {
  Launches l;
  const uint32_t k = l.b.Shape("k", {1320}, {256});
  l.Run(k, "a", 100 * kUs, 2, 90);
  l.Run(k, "b", 110 * kUs, 6, 80);
  l.Run(k, "c", 100 * kUs, 9);
  const Report report = Analyze(l.b.Snapshot());
  CHECK(In(report, "c").counters_from == "the same kernel under `b`, 6 samples");
  CHECK(In(report, "c").metrics.at(kDram).n == 6);
  CHECK(In(report, "a").metrics.at(kDram).median == 90);
}

TEST_CASE("What is lent is not lent again") {
  Launches l;
  const uint32_t k = l.b.Shape("k", {1320}, {256});
  l.Run(k, "a", 100 * kUs, 5, 90);
  l.Run(k, "b", 112 * kUs, 5);
  l.Run(k, "c", 125 * kUs, 5);
  const Report report = Analyze(l.b.Snapshot());
  CHECK_FALSE(In(report, "b").counters_from.empty());
  CHECK(In(report, "c").counters_from.empty());
}

// Three signatures of one kernel: two take 100 ns, the third 200.
struct Sampled {
  model::Model model;
  analyzer::KernelGroups groups;
  analyzer::CountedKernels counted;
  std::vector<ContinuousValues> continuous{3};

  Sampled() {
    model.shapes.resize(2);
    model.shapes[1].name = "k";
    counted.of_group.resize(3);
    for (const char* range : {"a", "b", "c"}) {
      analyzer::KernelGroup& group = groups.groups.emplace_back();
      group.shape = 1;
      group.launches.range = range;
      group.launches.duration_ns.n = 4;
      group.launches.duration_ns.median = range[0] == 'c' ? 200 : 100;
    }
  }
  void Value(size_t group, const std::string& metric, double value, double error, int64_t samples) {
    continuous[group][metric].value = value;
    continuous[group][metric].error = error;
    continuous[group][metric].samples = samples;
  }
  analyzer::Inherited Inherit() const {
    return analyzer::InheritCounters(model, groups, counted, continuous);
  }
};

TEST_CASE("PM values are lent in the same way") {
  Sampled sampled;
  sampled.Value(0, kDramPm, 70, 0, 12);
  sampled.continuous[1][kDramPm].missing = "too short";
  const analyzer::Inherited inherited = sampled.Inherit();
  CHECK(inherited.continuous[1].at(kDramPm).value == 70);
  CHECK_THAT(inherited.continuous_from[1], Contains("under `a`, 12 PM samples"));
  CHECK(inherited.continuous_from[0].empty());
  CHECK(inherited.continuous_from[2].empty());
}

TEST_CASE(
    "Where own PM samples leave a unit open those of another path that agree take their place") {
  Sampled sampled;
  sampled.Value(0, kDramPm, 70, 1, 200);
  sampled.Value(0, kL2Pm, 40, 2, 200);
  sampled.Value(1, kDramPm, 64, 5.5, 7);
  sampled.continuous[1][kL2Pm].missing = "the samples do not determine it";
  SECTION("all values are the lender's") {
    const analyzer::Inherited inherited = sampled.Inherit();
    CHECK(inherited.continuous[1].at(kL2Pm).value == 40);
    CHECK(inherited.continuous[1].at(kDramPm).value == 70);
    CHECK_THAT(inherited.continuous_from[1], Contains("under `a`, 200 PM samples"));
    CHECK(inherited.continuous_from[0].empty());
  }
  SECTION("what differs by more than the bounds is another kernel's") {
    sampled.Value(1, kDramPm, 63, 5.5, 7);
    const analyzer::Inherited inherited = sampled.Inherit();
    CHECK_FALSE(inherited.continuous[1].at(kL2Pm).value);
    CHECK(inherited.continuous_from[1].empty());
  }
  SECTION("a lender that lacks what is known lends nothing") {
    sampled.Value(1, kTensorPm, 5, 1, 7);
    CHECK(sampled.Inherit().continuous_from[1].empty());
  }
  SECTION("what is no unit is nothing that is open") {
    sampled.Value(1, kL2Pm, 39, 9, 7);
    sampled.Value(0, "l1tex__m_xbar2l1tex_read_sectors.avg.per_cycle_elapsed", 2, 0.1, 200);
    CHECK(sampled.Inherit().continuous_from[1].empty());
  }
  SECTION("a lender with fewer samples lends nothing") {
    sampled.Value(0, kDramPm, 70, 1, 6);
    sampled.Value(0, kL2Pm, 40, 2, 6);
    CHECK(sampled.Inherit().continuous_from[1].empty());
  }
  SECTION("values of all that ran at a time do not take the place of the kernel's own") {
    sampled.continuous[0][kDramPm].beside = "other";
    CHECK(sampled.Inherit().continuous_from[1].empty());
    sampled.continuous[1][kDramPm].beside = "other";
    CHECK_FALSE(sampled.Inherit().continuous_from[1].empty());
  }
  SECTION("an own value with a wide bound leaves its unit open") {
    sampled.Value(1, kL2Pm, 30, 18, 7);
    const analyzer::Inherited inherited = sampled.Inherit();
    CHECK(inherited.continuous[1].at(kL2Pm).value == 40);
    CHECK_FALSE(inherited.continuous_from[1].empty());
  }
  SECTION("own values that leave nothing open stay") {
    sampled.Value(1, kL2Pm, 39, 9, 7);
    const analyzer::Inherited inherited = sampled.Inherit();
    CHECK(inherited.continuous[1].at(kDramPm).value == 64);
    CHECK(inherited.continuous_from[1].empty());
  }
}

}  // namespace
}  // namespace prof::test::inheritance_test
