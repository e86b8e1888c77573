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
    CHECK(report.rows.back().kind == prof::RangeRow::Kind::kGap);
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
