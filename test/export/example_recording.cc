// SPDX-License-Identifier: Apache-2.0
#include "test/export/example_recording.h"

#include <sstream>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {

Snapshot ExampleRecording() {
  SnapshotBuilder b;
  b.process.command = std::string("./app ") + kHardName;
  b.process.rank = 3;
  b.process.start_ns = 1'000;
  b.Device(H200(0));
  b.Device(H200(1));
  b.Thread(kMainTid, kHardName);
  const uint32_t saxpy = b.Shape("_Z5saxpyPf", {132, 2, 1}, {256, 1, 1}, 40, 1024, 2048);
  const uint32_t hard = b.Shape(kHardName, {1, 1, 1}, {32, 1, 1});
  b.Range("step", 1'000, 200'000);
  const uint32_t first = b.Kernel(saxpy, "", 20'000, 30'000);
  const uint32_t second = b.Kernel(saxpy, "", 30'000, 45'000);
  b.Kernel(hard, "", 50'000, 51'000);
  b.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPageable, model::MemoryKind::kDevice,
         4096, "", 60'000, 64'000);
  b.Memset(512, "", 70'000, 71'000);
  Launch other;
  other.device = 1;
  other.context = 2;
  other.stream = 13;
  b.Kernel(saxpy, "", 80'000, 90'000, other);
  b.Api("cudaDeviceSynchronize_v3020", 100'000, 150'000);
  b.Span("request", 5'000, 120'000);
  b.Span("request", 6'000, 130'000);
  const char* const kMetric = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
  b.Sample(first, {{kMetric, 40.0}});
  b.Sample(second, {{kMetric, 60.0}});
  model::PmSeries pm;
  pm.interval_ns = 10'000;
  pm.metrics = {"dram"};
  pm.scales = {0.5};
  pm.begin_ns = {20'000, 30'000, 60'000};
  pm.end_ns = {30'000, 40'000, 70'000};
  pm.values = {10, 20, 30};
  b.Pm(pm);
  return b.Snapshot();
}

std::string Exported(const Snapshot& snapshot, const ExportOptions& options) {
  std::ostringstream out;
  const ExportResult result = Export(ReadEvents(snapshot), Analyze(snapshot), options, out);
  REQUIRE(result.error.empty());
  return out.str();
}

std::string Exported(ExportFormat format) {
  ExportOptions options;
  options.format = format;
  return Exported(ExampleRecording(), options);
}

}  // namespace prof::test
