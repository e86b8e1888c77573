// SPDX-License-Identifier: Apache-2.0
//
// Tests of PM samples from the events to the model: what arrives, what is lost, what it costs.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "lib/capture/collector/memory_output.h"
#include "lib/capture/wire/encoder.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::test::pm_test {
namespace {

constexpr int64_t kIntervalNs = 100'000;

struct Recording {
  Recording() { encoder.Add(AHeader()); }
  model::Model Read() {
    Integrity integrity;
    encoder.AddCounts(integrity);
    encoder.WriteLastBlock(integrity, kStart + 1'000'000'000);
    const std::string bytes = output.TakeBytes();
    size = bytes.size();
    absl::StatusOr<model::Model> model = ReadSnapshot(bytes);
    INFO(model.status());
    REQUIRE(model.ok());
    REQUIRE(model->truncation.empty());
    return *std::move(model);
  }
  MemoryOutput output;
  Encoder encoder{&output};
  size_t size = 0;  // of the file, after Read()
};

PmSeriesEvent Series(size_t metrics) {
  PmSeriesEvent series;
  series.id = 1;
  series.interval_ns = kIntervalNs;
  for (size_t m = 0; m < metrics; ++m) series.metrics.push_back({"m" + std::to_string(m), 0.05});
  return series;
}

TEST_CASE("PM samples arrive in the model within half of their scale") {
  Recording recording;
  recording.encoder.Add(APmSeries());
  recording.encoder.Add(APmBatch());
  PmBatchEvent later = APmBatch();
  for (int64_t& time : later.begin_ns) time += 10'000'000;
  for (int64_t& time : later.end_ns) time += 10'000'000;
  recording.encoder.WriteBlock({});
  recording.encoder.Add(later);
  const model::Model model = recording.Read();
  REQUIRE(model.pm_series.size() == 1);
  const model::PmSeries& series = model.pm_series[0];
  CHECK(series.device == 1);
  CHECK(series.interval_ns == kIntervalNs);
  CHECK(series.metrics == std::vector<std::string>{"dram__throughput", "tensor__active"});
  REQUIRE(series.rows() == 6);
  CHECK(series.begin_ns[0] == kStart + 1'000'000);
  CHECK(series.end_ns[0] == kStart + 1'200'000);
  CHECK(series.samples == std::vector<uint32_t>{2, 1, 1, 2, 1, 1});
  CHECK(series.begin_ns[2] == kStart + 1'350'000);
  CHECK(series.end_ns[2] == kStart + 1'450'007);
  CHECK(series.begin_ns[3] == kStart + 11'000'000);
  CHECK(series.row(0)[0] == Approx(50));
  CHECK(series.row(1)[0] == Approx(51));
  CHECK(std::isnan(series.row(1)[1]));
  CHECK(series.row(2)[1] == Approx(11));
  CHECK(model.integrity.pm_samples_lost == 0);
}

TEST_CASE("PM samples that cannot be kept are counted") {
  Recording recording;
  recording.encoder.Add(APmBatch());  // four of a series that nobody announced
  recording.encoder.Add(Series(2));
  PmBatchEvent batch;
  batch.series = 1;
  batch.begin_ns = {kStart, 0, kStart + 200, kStart + 300};        // one without a time,
  batch.end_ns = {kStart + 100, 100, kStart + 200, kStart + 400};  // one without a length,
  batch.values = {1, 2, 1, 2, 1, 2, 1};                            // and one without its values
  recording.encoder.Add(batch);
  const model::Model model = recording.Read();
  CHECK(model.integrity.pm_samples_lost == 7);
  CHECK_FALSE(model.integrity.complete());
  CHECK(model.pm_series.at(0).rows() == 1);
}

TEST_CASE("A value beyond all numbers of its scale is missing") {
  Recording recording;
  recording.encoder.Add(Series(3));
  PmBatchEvent batch;
  batch.series = 1;
  batch.begin_ns = {kStart, kStart + 100};
  batch.end_ns = {kStart + 100, kStart + 200};
  batch.values = {HUGE_VAL, 1e300, -5, 1, 2, 3};
  recording.encoder.Add(batch);
  const model::Model model = recording.Read();
  const model::PmSeries& series = model.pm_series.at(0);
  CHECK(std::isnan(series.row(0)[0]));
  CHECK(std::isnan(series.row(0)[1]));
  CHECK(series.row(0)[2] == Approx(-5));
  CHECK(series.row(1)[0] == Approx(1));
}

// Ten seconds of a loop whose phases last a few milliseconds: within a phase each metric wanders
// about its level by half a point, and the interval is kept to some tens of nanoseconds.
TEST_CASE("10 kHz of six metrics cost at most 8 bytes a sample") {
  constexpr int kSamples = 100'000, kMetrics = 6;
  Recording recording;
  recording.encoder.Add(Series(kMetrics));
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.5);
  std::uniform_real_distribution<double> level(0, 95);
  std::uniform_int_distribution<int> jitter(-40, 40), phase(20, 80);
  std::vector<double> levels(kMetrics);
  int64_t time_ns = kStart;
  int left = 0;
  for (int done = 0; done < kSamples;) {
    PmBatchEvent batch;
    batch.series = 1;
    for (int i = 0; i < 1000; ++i, ++done, --left) {
      if (left <= 0) {
        left = phase(random);
        for (double& value : levels) value = level(random);
      }
      batch.begin_ns.push_back(time_ns);
      time_ns += kIntervalNs + jitter(random);
      batch.end_ns.push_back(time_ns);
      for (const double value : levels) {
        batch.values.push_back(std::clamp(value + noise(random), 0.0, 100.0));
      }
    }
    recording.encoder.Add(batch);
    recording.encoder.WriteIfLarge();
  }
  const model::Model model = recording.Read();
  const double bytes_per_sample = static_cast<double>(recording.size) / kSamples;
  CHECK(bytes_per_sample <= 8);
  CHECK(bytes_per_sample > 6);  // otherwise this signal is no test
  CHECK(model.pm_series.at(0).end_ns.back() == time_ns);
  CHECK(model.pm_series[0].rows() > kSamples * 99 / 100);
}

TEST_CASE("An idle GPU costs nothing, however long it is sampled") {
  Recording recording;
  recording.encoder.Add(Series(6));
  for (int64_t second = 0; second < 60; ++second) {
    PmBatchEvent batch;
    batch.series = 1;
    for (int64_t i = 0; i < 10'000; ++i) {
      batch.begin_ns.push_back(kStart + (second * 10'000 + i) * kIntervalNs);
      batch.end_ns.push_back(batch.begin_ns.back() + kIntervalNs);
    }
    batch.values.assign(10'000 * 6, 0.01);  // less than half of the scale
    recording.encoder.Add(batch);
    recording.encoder.WriteBlock({});  // once a second
  }
  const model::Model model = recording.Read();
  CHECK(recording.size < 60 * 200);
  CHECK(model.pm_series.at(0).rows() == 60);
  CHECK(model.pm_series[0].samples.at(59) == 10'000);
}

}  // namespace
}  // namespace prof::capture::test::pm_test
