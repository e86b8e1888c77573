// SPDX-License-Identifier: Apache-2.0
//
// Compiled with per-thread default streams: the two threads launch without naming a stream, and
// have one each. In each round a kernel of either thread sets its flag and waits for the other's.
// Whoever holds up one of the launches until the other kernel ends makes both wait: so a kernel
// gives up after a while, and counts that.
#include <chrono>
#include <cstdio>
#include <thread>

#include "cuda_check.h"
#include "endings.h"

namespace endings {
namespace {

// More than two seconds, because counters are there after a quarter of one.
constexpr int kRounds = 20'000, kRoundsPerWait = 10;
constexpr unsigned long long kGiveUpNs = 2'000'000'000;

struct Meeting {
  int round[2];
  int given_up, met;
};

__device__ unsigned long long NowNs() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void counted(Meeting* meeting, int thread, int round) {
  const unsigned long long start = NowNs();
  volatile int* const rounds = meeting->round;
  rounds[thread] = round;
  __threadfence();
  while (rounds[1 - thread] < round) {
    if (NowNs() - start < kGiveUpNs) continue;
    atomicAdd(&meeting->given_up, 1);
    return;
  }
  atomicAdd(&meeting->met, 1);
}

void Meet(Meeting* meeting, int thread) {
  for (int round = 1; round <= kRounds; ++round) {
    counted<<<1, 1>>>(meeting, thread, round);
    CUDA_CHECK(cudaGetLastError());
    if (round % kRoundsPerWait != 0) continue;
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

int PerThread() {
  Meeting* meeting = nullptr;
  CUDA_CHECK(cudaMalloc(&meeting, sizeof(Meeting)));
  CUDA_CHECK(cudaMemset(meeting, 0, sizeof(Meeting)));
  counted<<<1, 1>>>(meeting, 0, 0);  // it is loaded: a first launch waits for all others
  CUDA_CHECK(cudaDeviceSynchronize());
  std::thread other([&] { Meet(meeting, 1); });
  Meet(meeting, 0);
  other.join();
  Meeting end{};
  CUDA_CHECK(cudaMemcpy(&end, meeting, sizeof(end), cudaMemcpyDeviceToHost));
  std::printf("[checksum] met %d, given up %d\n", end.met, end.given_up);
  Print(2 * kRounds + 1);
  return 0;
}

}  // namespace endings
