// SPDX-License-Identifier: Apache-2.0
//
// This benchmark makes the text report of a large recording from its file: ten million launches,
// each with its API call and an NVTX range. PROF_BENCH_LAUNCHES sets another number of launches.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>

#include "bench/storm_main.h"
#include "bench/storm_recording.h"
#include "prof/analyzer.h"
#include "prof/write.h"

namespace {

prof::bench::Storm storm;

// Items are launches. `peak` is the process's memory in bytes.
void BM_Report(benchmark::State& state) {
  prof::bench::ResetPeak();
  for ([[maybe_unused]] auto _ : state) {
    const prof::Report report = prof::Analyze(prof::Snapshot::FromFile(storm.path));
    std::ostringstream text;
    prof::WriteText(text, report);
    if (report.totals.kernels != storm.launches || text.str().empty()) {
      state.SkipWithError("the report is not complete");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * storm.launches);
  state.counters["peak"] = prof::bench::PeakBytes();
}
// In real time, because reading and analysis work on two threads.
BENCHMARK(BM_Report)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace

int main(int argc, char** argv) { return prof::bench::RunOverStorm(argc, argv, "report", &storm); }
