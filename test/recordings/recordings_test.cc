// SPDX-License-Identifier: Apache-2.0
//
// The shipped recordings of examples/transformer_layer on an H200: what an engineer would say of
// them, the report has to say too.
#include <cmath>
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"

namespace {

prof::Report Read(const std::string& name) {
  return prof::Analyze(prof::Snapshot::FromFile(PROF_RECORDINGS "/" + name));
}

const prof::RangeRow& Row(const prof::Report& report, const std::string& label) {
  for (const prof::RangeRow& row : report.rows) {
    if (row.label == label) return row;
  }
  FAIL("no row " << label);
  return report.rows.front();
}

constexpr const char* kRanges[] = {"norm_1",    "qkv_proj", "o_proj",   "residual_1", "norm_2",
                                   "gate_proj", "up_proj",  "silu_mul", "down_proj",  "residual_2"};
constexpr const char* kProjections[] = {"qkv_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
constexpr const char* kBoth[] = {"transformer_layer_2048.prof", "transformer_layer_1.prof"};

}  // namespace

TEST_CASE("Every range of the layer has a row, and the rows with the gaps sum to the span") {
  for (const char* name : kBoth) {
    const prof::Report report = Read(name);
    REQUIRE(report.error.empty());
    double sum = 0;
    for (const prof::RangeRow& row : report.rows) sum += row.time_ns;
    CHECK(sum == Approx(report.span_ns).epsilon(1e-9));
    for (const char* range : kRanges) CHECK(Row(report, std::string("layer/") + range).time_ns > 0);
    CHECK(report.rows.back().kind == prof::RangeRow::Kind::kProfiler);
  }
}

TEST_CASE("Nothing was lost in the recordings") {
  for (const char* name : kBoth) CHECK(Read(name).integrity.empty());
}

TEST_CASE("With 2048 tokens the projections are limited by the tensor pipe") {
  const prof::Report report = Read("transformer_layer_2048.prof");
  for (const char* range : kProjections) {
    CHECK(Row(report, std::string("layer/") + range).limiter == prof::Limiter::kTensor);
  }
}

TEST_CASE("With one token the projections are limited by DRAM") {
  const prof::Report report = Read("transformer_layer_1.prof");
  for (const char* range : kProjections) {
    CHECK(Row(report, std::string("layer/") + range).limiter == prof::Limiter::kDram);
  }
}

TEST_CASE("A recording of format version 1 is read as it was") {
  const prof::Report report =
      prof::Analyze(prof::Snapshot::FromFile(PROF_TEST_DATA "/transformer_layer_version_1.prof"));
  REQUIRE(report.error.empty());
  CHECK(report.integrity.empty());
  CHECK(report.totals.kernels == 3910);
  CHECK(report.totals.samples == 312);
  for (const char* range : kProjections) {
    CHECK(Row(report, std::string("layer/") + range).limiter == prof::Limiter::kTensor);
  }
}

TEST_CASE("No kernel moves or computes more than the device can") {
  for (const char* name : kBoth) {
    const prof::Report report = Read(name);
    for (const prof::KernelReport& kernel : report.kernels) {
      for (const auto& [metric, value] : kernel.metrics) {
        if (metric.find(".pct_of_peak") == std::string::npos) continue;
        INFO(kernel.name << ' ' << metric);
        CHECK(value.max <= 100.5);
        CHECK(value.min >= 0);
      }
      if (kernel.roofline.dram_bytes_per_s && kernel.roofline.dram_peak_bytes_per_s) {
        CHECK(*kernel.roofline.dram_bytes_per_s <= *kernel.roofline.dram_peak_bytes_per_s);
      }
    }
  }
}

TEST_CASE("The bytes of a decode projection are its weights") {
  // qkv_proj: 4096 x 12288 fp16 weights, read once; all else is three orders smaller.
  const prof::Report report = Read("transformer_layer_1.prof");
  for (const prof::KernelReport& kernel : report.kernels) {
    if (kernel.range != "layer/qkv_proj") continue;
    REQUIRE(kernel.Metric("dram__bytes_read.sum"));
    CHECK(*kernel.Metric("dram__bytes_read.sum") == Approx(4096.0 * 12288 * 2).epsilon(0.02));
  }
}

TEST_CASE("No busy kernel is told to raise its occupancy") {
  for (const char* name : kBoth) {
    for (const prof::KernelReport& kernel : Read(name).kernels) {
      const bool busy = kernel.verdict.limiter == prof::Limiter::kTensor ||
                        kernel.verdict.limiter == prof::Limiter::kDram;
      if (busy) CHECK(kernel.verdict.action.find("occupancy") == std::string::npos);
    }
  }
}

// This recording is of a program that waited behind each step by mistake. Its steps took 163 us,
// and 138 to 143 us where it waited behind each tenth.
TEST_CASE(
    "A wait in every step is the first finding, with the time in which the queue fills again") {
  const prof::Report report =
      prof::Analyze(prof::Snapshot::FromFile(PROF_TEST_DATA "/wait_in_every_step.prof"));
  REQUIRE(report.error.empty());
  REQUIRE_FALSE(report.findings.empty());
  const prof::Finding& first = report.findings.front();
  CHECK(first.id == "sync-bound");
  CHECK(first.kind == prof::GainKind::kIdleTime);
  CHECK(first.gain_at_most_ns >= 4392 * 20e3);
  CHECK(first.gain_at_most_ns <= 0.2 * report.undisturbed_ns);
  double sync_ns = 0, launch_ns = 0, idle_ns = 0;
  for (const prof::GapSummary& gap : report.gaps) {
    if (gap.cause == prof::GapCause::kSync) sync_ns += gap.total_ns;
    if (gap.cause == prof::GapCause::kLaunch) launch_ns += gap.total_ns;
    idle_ns += gap.total_ns;
  }
  CHECK(sync_ns > 5 * launch_ns);
  CHECK(idle_ns == report.devices.at(0).idle_ns);
  for (const prof::Finding& finding : report.findings) {
    CHECK(finding.id != "launch-bound");
    CHECK(finding.id != "cuda-graph");
  }
}

// A training step under PM sampling (--continuous), and what Nsight Compute said of its kernels in
// the same run (bench/results/continuous.json).
TEST_CASE("DRAM throughput from samples longer than the kernels is within 5 points of ncu's") {
  struct Kernel {
    const char* name;
    double us, ncu_percent;
  };
  constexpr Kernel kKernels[] = {
      {"vectorized_elementwise_kernel", 24.42, 80.88},
      {"softmax_warp_backward", 24.48, 80.87},
      {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_NNT", 35.62, 27.59},
      {"nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN", 37.15, 18.38},
      {"nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT", 32.45, 31.52},
  };
  const prof::Report report =
      prof::Analyze(prof::Snapshot::FromFile(PROF_TEST_DATA "/continuous/llama_like_train.prof"));
  for (const Kernel& wanted : kKernels) {
    INFO(wanted.name);
    double weighted = 0, weight = 0;
    for (const prof::KernelReport& kernel : report.kernels) {
      if (kernel.name != wanted.name ||
          std::abs(kernel.duration_ns.median * 1e-3 - wanted.us) > 0.1 * wanted.us) {
        continue;
      }
      for (const auto& [metric, value] : kernel.continuous) {
        if (metric.find("dram") == std::string::npos || !value.value) continue;
        weighted += *value.value * kernel.total_ns;
        weight += kernel.total_ns;
      }
    }
    REQUIRE(weight > 0);
    CHECK(std::abs(weighted / weight - wanted.ncu_percent) <= 5);
  }
}
