// SPDX-License-Identifier: Apache-2.0
//
// This program runs the decoder layer of examples/transformer_layer without prof, with a number of
// tokens that it draws: many at a time (prefill) or a few (decode).
//
//   layer_steps prefill|decode --seed N [--steps N | --seconds S]
#include <random>
#include <string>

#include "layer.h"
#include "step_clock.h"

namespace {

constexpr int kPrefillStep = 128, kMostPrefill = 16, kMostDecode = 8;
constexpr int kPrefillStepsPerWait = 10, kDecodeStepsPerWait = 50;

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  const StepOptions options = ParseSteps(argc, argv, 2);
  if (kind != "prefill" && kind != "decode") {
    std::fprintf(stderr, "usage: layer_steps prefill|decode --seed N [--steps N | --seconds S]\n");
    return 2;
  }
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }
  std::mt19937_64 random(options.seed);
  const bool is_prefill = kind == "prefill";
  const int tokens =
      is_prefill ? kPrefillStep * static_cast<int>(kMostPrefill / 2 + random() % (kMostPrefill / 2))
                 : 1 + static_cast<int>(random() % kMostDecode);
  DecoderLayers layers(tokens, is_prefill ? 1 : 2);
  StepClock clock(options.limit);
  while (clock.GoesOn()) {
    const int64_t steps =
        clock.StepsUntilWait(is_prefill ? kPrefillStepsPerWait : kDecodeStepsPerWait);
    for (int64_t i = 0; i < steps; ++i) layers.Step();
    CUDA_CHECK(cudaDeviceSynchronize());
    clock.Waited(steps);
  }
  std::printf("[checksum] %.9g\n", layers.OutputMagnitude());
  clock.Print("{\"tokens\": " + std::to_string(tokens) + "}");
  return 0;
}
