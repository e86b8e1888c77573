// SPDX-License-Identifier: Apache-2.0
//
// This benchmark makes the text report of a large recording from its file: ten million launches,
// each with its API call and an NVTX range. PROF_BENCH_LAUNCHES sets another number of launches.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "bench/storm_recording.h"
#include "prof/analyzer.h"
#include "prof/write.h"

namespace {

int64_t launches = 10'000'000;
std::string path;

// Items are launches. `peak` is the process's memory in bytes.
void BM_Report(benchmark::State& state) {
  prof::bench::ResetPeak();
  for ([[maybe_unused]] auto _ : state) {
    const prof::Report report = prof::Analyze(prof::Snapshot::FromFile(path));
    std::ostringstream text;
    prof::WriteText(text, report);
    if (report.totals.kernels != launches || text.str().empty()) {
      state.SkipWithError("the report is not complete");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * launches);
  state.counters["peak"] = prof::bench::PeakBytes();
}
// In real time, because reading and analysis work on two threads.
BENCHMARK(BM_Report)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (const char* number = std::getenv("PROF_BENCH_LAUNCHES")) {
    launches = std::strtoll(number, nullptr, 10);
  }
  path = std::filesystem::temp_directory_path() /
         ("prof_bench_report." + std::to_string(getpid()) + ".prof");
  prof::bench::WriteStormRecording(path, launches);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove(path);
  return 0;
}
