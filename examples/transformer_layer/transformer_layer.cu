// SPDX-License-Identifier: Apache-2.0
//
// The program shows which part of a decoder layer costs the time, what limits that part, and what a
// change would gain at most.
//
// Build:  cmake -B build && cmake --build build --target transformer_layer
// See:    one row for each of the layer's ten ranges and one for the gaps; they sum to the span.
//         With 2048 tokens the tensor cores limit the projections. With --tokens 1 DRAM limits the
//         projections (weights), and the other kernels are as short as their launches.
#include <algorithm>
#include <iostream>
#include <optional>

#include "layer.h"
#include "options.h"
#include "prof/analyzer.h"
#include "prof/session.h"

namespace {

constexpr int kStepsPerWait = 10;  // launches run ahead, as in real programs
constexpr int kWarmUpSteps = 5;    // not timed: modules load, cuBLAS chooses kernels

prof::Counters ParseCounters(const std::string& name) {
  if (name == "none") return prof::Counters::kNone;
  if (name == "pulse") return prof::Counters::kPulse;
  if (name == "sol") return prof::Counters::kSpeedOfLight;
  if (name == "stalls") return prof::Counters::kStalls;
  if (name == "all") return prof::Counters::kAll;
  std::fprintf(stderr, "--counters takes none, pulse, sol, stalls or all, not %s\n", name.c_str());
  std::exit(2);
}

void RunSteps(DecoderLayers& layers, int steps) {
  for (int i = 0; i < steps; ++i) {
    layers.Step();
    if ((i + 1) % kStepsPerWait == 0 || i + 1 == steps) CUDA_CHECK(cudaDeviceSynchronize());
  }
}

// Whole groups also beyond the steps that were asked for: a wait behind each step would drain the
// queue, and the GPU would idle until the launches are ahead again.
int StepsUntilWait(int left) { return left > 0 ? std::min(left, kStepsPerWait) : kStepsPerWait; }

bool NeedsMoreSteps(const std::optional<prof::Session>& session) {
  if (!session || !session->counters_pending()) return false;
  const prof::State state = session->status().counters.state;
  return state == prof::State::kWorking || state == prof::State::kDegraded;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  prof::SessionOptions session_options;
  session_options.counters = ParseCounters(options.counters);
  session_options.output = options.output;

  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }

  DecoderLayers layers(options.tokens, options.layers);
  std::optional<prof::Session> session;
  if (options.prof) session.emplace(session_options);

  RunSteps(layers, kWarmUpSteps);
  const StopWatch watch;
  int steps = 0;
  do {
    const int now = StepsUntilWait(options.steps - steps);
    RunSteps(layers, now);
    steps += now;
  } while (steps < options.steps || (watch.Seconds() < options.seconds && NeedsMoreSteps(session)));
  const double seconds = watch.Seconds();

  const StopWatch steady_watch;
  RunSteps(layers, options.steady);
  const double steady_seconds = steady_watch.Seconds();

  if (session) std::cout << prof::Analyze(session->Stop());
  std::printf("[checksum] %.9g\n", layers.OutputMagnitude());
  PrintTiming(steps, seconds, options.steady, steady_seconds);
  return 0;
}
