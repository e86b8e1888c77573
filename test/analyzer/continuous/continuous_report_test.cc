// SPDX-License-Identifier: Apache-2.0
//
// PM samples from the file to the report: kernels of CUDA graphs, which counters never see, get
// their DRAM throughput and a verdict.
#include <algorithm>
#include <cmath>
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::continuous_report_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

constexpr const char* kDram = "dramc__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr int64_t kStep = 137'000, kSteps = 800, kInterval = 50'000;

// Steps of a copy kernel (60 us at 90 % of DRAM) and a GEMM (50 us at 12 %), both of one graph.
void AddSteps(SnapshotBuilder* b) {
  const uint32_t copy = b->Shape("copy_kernel", {4096}, {256});
  const uint32_t gemm = b->Shape("gemm", {264}, {384});
  Launch graph;
  graph.graph = 1;
  model::PmSeries pm;
  pm.interval_ns = kInterval;
  pm.metrics = {kDram};
  pm.scales = {0.05};
  std::vector<double> work(static_cast<size_t>(kStep * kSteps / kInterval));
  const auto add = [&](uint32_t shape, const char* path, int64_t start_ns, int64_t end_ns,
                       double percent) {
    graph.api_start_ns = start_ns - 20'000;
    graph.api_end_ns = start_ns - 19'000;
    b->Kernel(shape, path, start_ns, end_ns, graph);
    for (int64_t at = start_ns;
         at < end_ns && at / kInterval < static_cast<int64_t>(work.size());) {
      const int64_t until = std::min(end_ns, (at / kInterval + 1) * kInterval);
      work[static_cast<size_t>(at / kInterval)] +=
          percent * static_cast<double>(until - at) / kInterval;
      at = until;
    }
  };
  for (int64_t step = 0; step < kSteps; ++step) {
    const int64_t start_ns = 100'000 + step * kStep;
    add(copy, "step/copy", start_ns, start_ns + 60'000, 90);
    add(gemm, "step/gemm", start_ns + 62'000, start_ns + 112'000, 12);
  }
  for (size_t i = 0; i < work.size(); ++i) {
    pm.begin_ns.push_back(static_cast<int64_t>(i) * kInterval);
    pm.end_ns.push_back(pm.begin_ns.back() + kInterval);
    pm.values.push_back(static_cast<float>(work[i] + 0.7 * std::sin(static_cast<double>(i * i))));
  }
  b->Pm(pm);
}

TEST_CASE("Kernels of a graph get a DRAM throughput and a verdict from PM samples") {
  SnapshotBuilder b;
  AddSteps(&b);
  const Report report = Analyze(b.Snapshot(7));
  REQUIRE(report.error.empty());
  REQUIRE(report.continuous.size() == 1);
  CHECK(report.continuous[0].samples == kStep * kSteps / kInterval);
  REQUIRE(report.continuous[0].metrics.size() == 1);
  CHECK(report.continuous[0].metrics[0].mean == Approx((90 * 60 + 12 * 50) / 137.0).margin(0.5));
  CHECK(report.continuous[0].metrics[0].buckets.size() == 120);

  const KernelReport& copy = report.kernel("copy_kernel");
  REQUIRE(copy.continuous.at(kDram).value);
  CHECK(*copy.continuous.at(kDram).value == Approx(90).margin(1));
  CHECK(copy.verdict.rule == "dram-throughput");
  const KernelReport& gemm = report.kernel("gemm");
  CHECK(*gemm.continuous.at(kDram).value == Approx(12).margin(1));
  CHECK(gemm.verdict.limiter == Limiter::kUnknown);  // DRAM alone was read

  REQUIRE(report.rows.size() == 3);
  CHECK(*report.rows[0].continuous.at(kDram).value == Approx(90).margin(1));
  CHECK_THAT(report.rows[0].evidence, Contains("DRAM 90 +-"));
  CHECK(report.rows[0].limiter == Limiter::kDram);
  CHECK(*report.rows[1].continuous.at(kDram).value == Approx(12).margin(1));
  CHECK(report.rows[2].kind == RangeRow::Kind::kGap);
  CHECK(*report.rows[2].continuous.at(kDram).value == Approx(0).margin(1));
}

TEST_CASE("Counters of a kernel stay the source of its verdict") {
  SnapshotBuilder b;
  AddSteps(&b);
  const uint32_t sampled = b.Kernel(b.Shape("copy_kernel", {4096}, {256}), "step/copy",
                                    kStep * kSteps + 500'000, kStep * kSteps + 560'000);
  b.Sample(sampled, {{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 70},
                     {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 30}});
  const Report report = Analyze(b.Snapshot());
  const KernelReport& copy = report.kernel("copy_kernel");
  CHECK(copy.verdict.rule == "dram-throughput");
  CHECK_THAT(copy.verdict.summary, Contains("70"));
}

TEST_CASE("Lost PM samples and restarts are reported") {
  SnapshotBuilder b;
  AddSteps(&b);
  b.integrity.emplace();
  b.integrity->pm_samples_lost = 12;
  b.integrity->pm_restarts = 2;
  const Report report = Analyze(b.Snapshot());
  CHECK(report.pm_samples_lost == 12);
  CHECK(report.pm_restarts == 2);
  REQUIRE(report.integrity.size() == 2);
  CHECK_THAT(report.integrity[0], Contains("12 PM samples were lost"));
  CHECK_THAT(report.integrity[1], Contains("2 times PM sampling ended by itself"));
}

}  // namespace
}  // namespace prof::continuous_report_test
