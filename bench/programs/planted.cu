// SPDX-License-Identifier: Apache-2.0
//
// This program has one planted timeline: it keeps the GPU waiting in one known way, or in none.
//
//   planted KIND --seed N [--steps N | --seconds S]
#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cuda_check.h"
#include "step_clock.h"

namespace {

constexpr int kKernelsPerStep = 50, kFloats = 1 << 22, kSmallBytes = 4096;

__global__ void work(int rounds, float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = values[i];
  for (int round = 0; round < rounds; ++round) value = fmaf(value, 0.999f, 0.5f);
  values[i] = value;
}

// What all timelines work with. Sizes are drawn.
struct Machine {
  explicit Machine(uint64_t seed) {
    std::mt19937_64 random(seed);
    long_rounds = 100'000 + static_cast<int>(random() % 40'000);  // some 0.3 ms
    short_rounds = 50 + static_cast<int>(random() % 100);
    pageable.resize(kFloats);
    CUDA_CHECK(cudaMalloc(&values, kFloats * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&other, kFloats * sizeof(float)));
    CUDA_CHECK(cudaMemset(values, 0, kFloats * sizeof(float)));
    CUDA_CHECK(cudaMallocHost(&pinned, kFloats * sizeof(float)));
    for (cudaStream_t& stream : streams) {
      CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
  }

  void Work(int rounds, int blocks = 132, int stream = 0) const {
    work<<<blocks, 256, 0, streams[stream]>>>(rounds, values);
    CUDA_CHECK(cudaGetLastError());
  }
  void ShortKernels() const {
    for (int i = 0; i < kKernelsPerStep; ++i) Work(short_rounds, 4);
  }
  void Copy(void* to, const void* from, size_t bytes, int stream = 0) const {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, streams[stream]));
  }
  void Wait(int stream = 0) const { CUDA_CHECK(cudaStreamSynchronize(streams[stream])); }

  int long_rounds = 0, short_rounds = 0;
  std::vector<float> pageable;
  float *values = nullptr, *other = nullptr, *pinned = nullptr;
  cudaStream_t streams[2] = {};
};

void Spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

cudaGraphExec_t Captured(const Machine& machine) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t made = nullptr;
  CUDA_CHECK(cudaStreamBeginCapture(machine.streams[0], cudaStreamCaptureModeThreadLocal));
  machine.ShortKernels();
  CUDA_CHECK(cudaStreamEndCapture(machine.streams[0], &graph));
  CUDA_CHECK(cudaGraphInstantiate(&made, graph, 0));
  return made;
}

void WaitAfterEach(const Machine& machine) {
  for (int i = 0; i < kKernelsPerStep; ++i) {
    machine.Work(machine.short_rounds);
    machine.Wait();
  }
}

void AllocateAroundEach(const Machine& machine) {
  for (int i = 0; i < 5; ++i) {
    void* memory = nullptr;
    CUDA_CHECK(cudaMalloc(&memory, kFloats));
    machine.Work(machine.short_rounds);
    CUDA_CHECK(cudaFree(memory));
  }
}

void CopyBackEach(const Machine& machine) {
  for (int i = 0; i < kKernelsPerStep; ++i) {
    machine.Work(machine.short_rounds);
    machine.Wait();
    CUDA_CHECK(cudaMemcpy(machine.pinned, machine.values, sizeof(float), cudaMemcpyDeviceToHost));
  }
}

using Step = std::function<void(const Machine&)>;

const std::map<std::string, Step>& Timelines() {
  static const auto& timelines = *new std::map<std::string, Step>{
      {"launches", [](const Machine& machine) { machine.ShortKernels(); }},
      {"graph",
       [](const Machine& machine) {
         static const cudaGraphExec_t graph = Captured(machine);
         CUDA_CHECK(cudaGraphLaunch(graph, machine.streams[0]));
       }},
      {"waits", WaitAfterEach},
      {"host-work",
       [](const Machine& machine) {
         machine.Work(machine.short_rounds);
         Spin(std::chrono::microseconds(500));
       }},
      {"allocations", AllocateAroundEach},
      {"values-back", CopyBackEach},
      {"pageable",
       [](const Machine& machine) {
         machine.Copy(machine.values, machine.pageable.data(), kFloats * sizeof(float));
         machine.Work(machine.long_rounds);
       }},
      {"pinned",
       [](const Machine& machine) {
         machine.Copy(machine.values, machine.pinned, kFloats * sizeof(float));
         machine.Work(machine.long_rounds);
       }},
      {"overlapped",
       [](const Machine& machine) {
         machine.Copy(machine.other, machine.pinned, kFloats * sizeof(float), 1);
         for (int i = 0; i < 3; ++i) machine.Work(machine.long_rounds);
       }},
      {"small-copies",
       [](const Machine& machine) {
         for (int i = 0; i < kKernelsPerStep; ++i) {
           machine.Copy(machine.other, machine.pinned + i * kSmallBytes, kSmallBytes);
         }
         machine.Work(machine.short_rounds);
       }},
      {"two-streams",
       [](const Machine& machine) {
         machine.Work(machine.long_rounds, 40, 0);
         machine.Work(machine.long_rounds, 40, 1);
       }},
      {"clean", [](const Machine& machine) { machine.Work(machine.long_rounds, 1056); }},
  };
  return timelines;
}

int PrintUsage() {
  std::fprintf(stderr, "usage: planted KIND --seed N [--steps N | --seconds S]; kinds:");
  for (const auto& [name, step] : Timelines()) std::fprintf(stderr, " %s", name.c_str());
  std::fputc('\n', stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = Timelines().find(argc > 1 ? argv[1] : "");
  if (found == Timelines().end()) return PrintUsage();
  const StepOptions options = ParseSteps(argc, argv, 2);
  if (!HasDevice()) return 0;
  const Machine machine(options.seed);
  StepClock clock(options.limit);
  constexpr int kStepsPerWait = 20;
  while (clock.GoesOn()) {
    const int64_t steps = clock.StepsUntilWait(kStepsPerWait);
    for (int64_t i = 0; i < steps; ++i) found->second(machine);
    CUDA_CHECK(cudaDeviceSynchronize());
    clock.Waited(steps);
  }
  clock.Print("{\"long\": " + std::to_string(machine.long_rounds) +
              ", \"short\": " + std::to_string(machine.short_rounds) + "}");
  return 0;
}
