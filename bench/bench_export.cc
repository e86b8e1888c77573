// SPDX-License-Identifier: Apache-2.0
//
// This benchmark exports a large recording: ten million launches, each with its API call and an
// NVTX range. Reading the recording is a part of it. PROF_BENCH_LAUNCHES sets another number of
// launches.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/storm_main.h"
#include "bench/storm_recording.h"
#include "prof/analyzer.h"
#include "prof/export.h"

namespace {

prof::bench::Storm storm;

// Items are launches. `peak` is the process's memory in bytes, `file` the export's bytes per
// launch.
void Run(benchmark::State& state, prof::ExportFormat format, bool verdicts) {
  const std::string output = storm.path + ".export";
  const prof::Snapshot snapshot = prof::Snapshot::FromFile(storm.path);
  prof::ExportOptions options;
  options.format = format;
  prof::bench::ResetPeak();
  for ([[maybe_unused]] auto _ : state) {
    const prof::Report report = verdicts ? prof::Analyze(snapshot) : prof::Report();
    const prof::Events events = prof::ReadEvents(snapshot);
    const prof::ExportResult result = prof::ExportToFile(events, report, options, output);
    if (!result.error.empty() || result.operations != storm.launches) {
      state.SkipWithError("the export is not complete");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * storm.launches);
  state.counters["peak"] = prof::bench::PeakBytes();
  state.counters["file"] =
      static_cast<double>(std::filesystem::file_size(output)) / static_cast<double>(storm.launches);
  std::filesystem::remove(output);
}

void BM_Perfetto(benchmark::State& state) { Run(state, prof::ExportFormat::kPerfetto, false); }
void BM_PerfettoWithVerdicts(benchmark::State& state) {
  Run(state, prof::ExportFormat::kPerfetto, true);
}
void BM_Chrome(benchmark::State& state) { Run(state, prof::ExportFormat::kChrome, false); }
void BM_Sqlite(benchmark::State& state) { Run(state, prof::ExportFormat::kSqlite, false); }
void BM_Csv(benchmark::State& state) { Run(state, prof::ExportFormat::kCsv, false); }
void BM_Speedscope(benchmark::State& state) { Run(state, prof::ExportFormat::kSpeedscope, false); }
BENCHMARK(BM_Perfetto)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PerfettoWithVerdicts)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Chrome)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Sqlite)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Csv)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Speedscope)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) { return prof::bench::RunOverStorm(argc, argv, "export", &storm); }
