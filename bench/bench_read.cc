// SPDX-License-Identifier: Apache-2.0
//
// This benchmark reads a large snapshot from a file and joins it: ten million launches, each with
// its API call and an NVTX range. PROF_BENCH_LAUNCHES sets another number of launches.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/storm_main.h"
#include "bench/storm_recording.h"
#include "lib/snapshot/read/reader.h"

namespace {

prof::bench::Storm storm;

// Items are launches. `peak` is the process's memory in bytes, `file` the file's bytes per launch.
void BM_Read(benchmark::State& state) {
  const auto size = static_cast<int64_t>(std::filesystem::file_size(storm.path));
  prof::bench::ResetPeak();
  for ([[maybe_unused]] auto _ : state) {
    const absl::StatusOr<prof::model::Model> model = prof::ReadSnapshotFile(storm.path);
    if (!model.ok() || model->ops.size() != static_cast<size_t>(storm.launches)) {
      state.SkipWithError("the snapshot does not read as it was written");
      break;
    }
    benchmark::DoNotOptimize(model->ops.size());
  }
  state.SetBytesProcessed(state.iterations() * size);
  state.SetItemsProcessed(state.iterations() * storm.launches);
  state.counters["peak"] = prof::bench::PeakBytes();
  state.counters["file"] = static_cast<double>(size) / static_cast<double>(storm.launches);
}
// In real time, because the reader works on two threads.
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace

int main(int argc, char** argv) { return prof::bench::RunOverStorm(argc, argv, "read", &storm); }
