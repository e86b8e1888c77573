// SPDX-License-Identifier: Apache-2.0
//
// This benchmark reads a large snapshot from a file and joins it: ten million launches, each with
// its API call and an NVTX range. PROF_BENCH_LAUNCHES sets another number of launches.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/capture/collector/file_output.h"
#include "lib/capture/wire/encoder.h"
#include "lib/snapshot/read/reader.h"
#include "test/support/launch_storm.h"

namespace {

int64_t launches = 10'000'000;
std::string path;

void WriteSnapshot() {
  prof::capture::FileOutput output(path);
  prof::capture::Encoder encoder(&output);
  prof::test::LaunchStorm storm(&encoder, 20);
  for (int64_t i = 0; i < launches; ++i) {
    storm.Launch();
    if (i % 64 == 0) encoder.WriteIfLarge();
  }
  encoder.WriteLastBlock({}, storm.host_ns());
}

// Resets the most memory that the process used, which PeakBytes() reads.
void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double PeakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  }
  return 0;
}

// Items are launches. `peak` is the process's memory in bytes, `file` the file's bytes per launch.
void BM_Read(benchmark::State& state) {
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path));
  ResetPeak();
  for ([[maybe_unused]] auto _ : state) {
    const absl::StatusOr<prof::model::Model> model = prof::ReadSnapshotFile(path);
    if (!model.ok() || model->ops.size() != static_cast<size_t>(launches)) {
      state.SkipWithError("the snapshot does not read as it was written");
      break;
    }
    benchmark::DoNotOptimize(model->ops.size());
  }
  state.SetBytesProcessed(state.iterations() * size);
  state.SetItemsProcessed(state.iterations() * launches);
  state.counters["peak"] = PeakBytes();
  state.counters["file"] = static_cast<double>(size) / static_cast<double>(launches);
}
// In real time, because the reader works on two threads.
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (const char* number = std::getenv("PROF_BENCH_LAUNCHES")) {
    launches = std::strtoll(number, nullptr, 10);
  }
  path = std::filesystem::temp_directory_path() /
         ("prof_bench_read." + std::to_string(getpid()) + ".prof");
  WriteSnapshot();
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove(path);
  return 0;
}
