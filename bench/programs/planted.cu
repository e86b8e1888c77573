// SPDX-License-Identifier: Apache-2.0
//
// This program runs planted timelines: each keeps the GPU waiting in one known way, or in none.
//
//   planted KIND --seed N [--steps N | --seconds S]
//   planted --all --seed N --seconds S      one after the other, to know how many steps each makes
#include <cstdio>
#include <cstdlib>
#include <string>

#include "planted.h"
#include "step_clock.h"

namespace {

Timelines AllTimelines() {
  Timelines all;
  for (const auto make :
       {LaunchTimelines, WaitTimelines, HostTimelines, MemoryTimelines, StreamTimelines,
        CopyTimelines, StepTimelines, CodeTimelines, FusionTimelines}) {
    for (const Timeline& timeline : make()) all.push_back(timeline);
  }
  return all;
}

int PrintUsage() {
  std::fprintf(stderr, "usage: planted KIND|--all --seed N [--steps N | --seconds S]; kinds:");
  for (const Timeline& timeline : AllTimelines()) std::fprintf(stderr, " %s", timeline.name);
  std::fputc('\n', stderr);
  return 2;
}

// Waits now and then: the queue of a stream has an end.
void Run(const Timeline& timeline, const StepOptions& options, Machine* machine) {
  constexpr int kStepsPerWait = 20;
  machine->Begin(options.seed, timeline.name);
  const Step step = timeline.make(machine);
  CUDA_CHECK(cudaDeviceSynchronize());
  StepLimit limit = options.limit;
  limit.seconds *= timeline.seconds;
  StepClock clock(limit);
  while (clock.GoesOn()) {
    const int64_t first = clock.steps(), steps = clock.StepsUntilWait(kStepsPerWait);
    for (int64_t i = 0; i < steps; ++i) step(first + i);
    CUDA_CHECK(cudaDeviceSynchronize());
    clock.Waited(steps);
  }
  clock.Print(machine->Drawn());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  Timelines chosen;
  for (const Timeline& timeline : AllTimelines()) {
    if (name == "--all" || name == timeline.name) chosen.push_back(timeline);
  }
  if (chosen.empty()) return PrintUsage();
  const StepOptions options = ParseSteps(argc, argv, 2);
  // The driver would keep what it compiles for the next run, which then has nothing to compile.
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  if (!HasDevice()) return 0;
  Machine machine;
  for (const Timeline& timeline : chosen) Run(timeline, options, &machine);
  return 0;
}
