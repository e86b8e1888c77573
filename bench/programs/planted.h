// SPDX-License-Identifier: Apache-2.0
//
// A planted timeline keeps the GPU waiting in one known way, or in none. It is made on a machine,
// and then runs step by step. bench/lib/planted.py has the findings that each must have.
#ifndef PROF_BENCH_PROGRAMS_PLANTED_H_
#define PROF_BENCH_PROGRAMS_PLANTED_H_

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cuda_check.h"

// What all timelines work with. Each timeline draws its sizes from a seed.
class Machine {
 public:
  static constexpr size_t kFloats = 1 << 22;
  static constexpr size_t kBytes = kFloats * sizeof(float);

  Machine();

  // Numbers of the timeline that is made next: the same for a seed and a name.
  void Begin(uint64_t seed, const std::string& name);
  // A number that is drawn, under a name for the output.
  double Draw(const char* name, double least, double most);
  uint64_t DrawBits() { return random_(); }
  // JSON: the timeline, and what it has drawn.
  std::string Drawn() const { return "{" + drawn_ + "}"; }

  // A kernel of about `us`. `sms`: its blocks, over the SMs; beyond 2 it takes longer.
  void Work(double us, double sms = 1, int stream = 0) const { Launch(us, sms, streams[stream]); }
  void Launch(double us, double sms, cudaStream_t stream) const;
  // 50 kernels of a fraction of a microsecond.
  void ShortKernels(double us) const;
  void Copy(void* to, const void* from, size_t bytes, int stream = 0) const;
  void Wait(int stream = 0) const { CUDA_CHECK(cudaStreamSynchronize(streams[stream])); }

  std::vector<float> pageable;
  float *values = nullptr, *other = nullptr, *pinned = nullptr;  // kBytes each
  cudaStream_t streams[2] = {};                                  // non-blocking

 private:
  int sms_ = 1;
  std::mt19937_64 random_;
  std::string drawn_;
};

constexpr int kShortKernels = 50;

// One step. Its number counts from 0.
using Step = std::function<void(int64_t number)>;

struct Timeline {
  const char* name;
  // What the steps need is made before the first one, and lives as long as they do.
  Step (*make)(Machine* machine);
  double seconds = 1;  // times the seconds of the others
};
using Timelines = std::vector<Timeline>;

// By cause, each in a file of its own.
Timelines LaunchTimelines();
Timelines WaitTimelines();
Timelines HostTimelines();
Timelines MemoryTimelines();
Timelines StreamTimelines();
Timelines CopyTimelines();
Timelines StepTimelines();
Timelines CodeTimelines();
Timelines FusionTimelines();

// Host code outside CUDA.
inline void Spin(double us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

#endif  // PROF_BENCH_PROGRAMS_PLANTED_H_
