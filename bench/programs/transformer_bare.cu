// SPDX-License-Identifier: Apache-2.0
//
// This program runs the decoder layer of examples/transformer_layer without prof. It shows what the
// steps cost when libprof.so is not even loaded.
#include "layer.h"
#include "options.h"

namespace {

constexpr int kStepsPerWait = 10;  // as in the example
constexpr int kWarmUpSteps = 5;

double RunSteps(DecoderLayers& layers, int steps) {
  const StopWatch watch;
  for (int i = 0; i < steps; ++i) {
    layers.Step();
    if ((i + 1) % kStepsPerWait == 0 || i + 1 == steps) CUDA_CHECK(cudaDeviceSynchronize());
  }
  return watch.Seconds();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }
  DecoderLayers layers(options.tokens, options.layers);
  RunSteps(layers, kWarmUpSteps);
  const double seconds = RunSteps(layers, options.steps);
  const double steady_seconds = RunSteps(layers, options.steady);
  std::printf("[checksum] %.9g\n", layers.OutputMagnitude());
  PrintTiming(options.steps, seconds, options.steady, steady_seconds);
  return 0;
}
