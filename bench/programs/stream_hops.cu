// SPDX-License-Identifier: Apache-2.0
//
// This program hands its work from stream to stream: each kernel waits for an event of the kernel
// before it, which ran on another stream. A step is one such hop. The host is far ahead, so a step
// takes the kernel's time and what the GPU needs for the hand-over.
//
//   stream_hops --seed N [--steps N | --seconds S]
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "cuda_check.h"
#include "step_clock.h"

namespace {

constexpr int kHopsPerBatch = 200;

__global__ void hop(float* values, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = values[i];
  for (int round = 0; round < rounds; ++round) value = fmaf(value, 0.999f, 0.0005f);
  values[i] = value;
}

struct Station {
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
};

std::vector<Station> MakeStations(size_t count) {
  std::vector<Station> stations(count);
  for (Station& station : stations) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&station.stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&station.done, cudaEventDisableTiming));
  }
  return stations;
}

}  // namespace

int main(int argc, char** argv) {
  const StepOptions options = ParseSteps(argc, argv, 1);
  if (!HasDevice()) return 0;
  std::mt19937_64 random(options.seed);
  const auto streams = static_cast<size_t>(2 + random() % 4);
  const int blocks = 32 << random() % 3, rounds = 500 + static_cast<int>(random() % 4000);
  constexpr int kThreads = 256;
  std::vector<float> values(static_cast<size_t>(blocks) * kThreads);
  for (float& value : values) value = 0x1p-32f * static_cast<uint32_t>(random());
  float* on_device = nullptr;
  CUDA_CHECK(cudaMalloc(&on_device, values.size() * sizeof(float)));
  CUDA_CHECK(
      cudaMemcpy(on_device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  const std::vector<Station> stations = MakeStations(streams);
  StepClock clock(options.limit);
  size_t at = 0;
  while (clock.GoesOn()) {
    const int64_t hops = clock.StepsUntilWait(kHopsPerBatch);
    for (int64_t i = 0; i < hops; ++i) {
      const Station& station = stations[at];
      hop<<<blocks, kThreads, 0, station.stream>>>(on_device, rounds);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaEventRecord(station.done, station.stream));
      at = (at + 1) % streams;
      CUDA_CHECK(cudaStreamWaitEvent(stations[at].stream, station.done, 0));
    }
    CUDA_CHECK(cudaStreamSynchronize(stations[at].stream));
    clock.Waited(hops);
  }
  CUDA_CHECK(
      cudaMemcpy(values.data(), on_device, values.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float value : values) sum += value;
  std::printf("[checksum] %a\n", sum);
  clock.Print("{\"streams\": " + std::to_string(streams) + ", \"blocks\": " +
              std::to_string(blocks) + ", \"rounds\": " + std::to_string(rounds) + "}");
  return 0;
}
