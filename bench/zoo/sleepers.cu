// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bench/programs/cuda_check.h"
#include "bench/zoo/sleepers.h"

namespace zoo {
namespace {

constexpr int kWarp = 32, kMostWarpsOfBlock = 32, kMostBlocks = 4096, kTries = 5;
constexpr unsigned kPollNs = 100'000;

// In memory of the host.
struct Board {
  volatile int wake;
  volatile int sm[kMostBlocks];  // of each block, and 1; 0: it does not run yet
};

// The first thread asks, the others wait for it at a barrier.
__global__ void __launch_bounds__(kMostWarpsOfBlock* kWarp, 2) sleep_until(Board* board) {
  if (threadIdx.x == 0) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    board->sm[blockIdx.x] = static_cast<int>(sm) + 1;
    while (board->wake == 0) __nanosleep(kPollNs);
  }
  __syncthreads();
}

int Attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

Board* TheBoard() {
  static Board* const board = [] {
    void* made = nullptr;
    CUDA_CHECK(cudaHostAlloc(&made, sizeof(Board), cudaHostAllocMapped));
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, sleep_until));
    if (attributes.numRegs > Sleepers::kRegisters) {
      std::fprintf(stderr, "sleepers: %d registers a thread\n", attributes.numRegs);
      std::exit(1);
    }
    return static_cast<Board*>(made);
  }();
  return board;
}

// One that waits for no other.
cudaStream_t TheStream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }();
  return stream;
}

void Wake() {
  TheBoard()->wake = 1;
  CUDA_CHECK(cudaStreamSynchronize(TheStream()));
}

// All of `blocks` run, as many on each SM.
bool LieDown(int blocks, int threads, int sms) {
  Board* const board = TheBoard();
  board->wake = 0;
  for (int i = 0; i < blocks; ++i) board->sm[i] = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  sleep_until<<<blocks, threads, 0, TheStream()>>>(board);
  CUDA_CHECK(cudaGetLastError());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  std::vector<int> of_sm(sms);
  for (int i = 0; i < blocks; ++i) {
    while (board->sm[i] == 0) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    const int sm = board->sm[i] - 1;
    if (sm >= sms) return false;
    ++of_sm[sm];
  }
  return std::all_of(of_sm.begin(), of_sm.end(), [&](int one) { return one == blocks / sms; });
}

}  // namespace

Sleepers::Sleepers(int warps) {
  const int sms = Attribute(cudaDevAttrMultiProcessorCount);
  const int of_sm = (warps + kMostWarpsOfBlock - 1) / kMostWarpsOfBlock;
  if (warps <= 0 || warps % of_sm != 0 || sms * of_sm > kMostBlocks) {
    std::fprintf(stderr, "sleepers: %d warps on each of %d SMs cannot be\n", warps, sms);
    std::exit(1);
  }
  for (int i = 0; i < kTries; ++i) {
    if (LieDown(sms * of_sm, warps / of_sm * kWarp, sms)) return;
    Wake();
  }
  std::fprintf(stderr, "sleepers: the blocks do not spread over the SMs\n");
  std::exit(1);
}

Sleepers::~Sleepers() { Wake(); }

int WarpSlots() { return Attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / kWarp; }

void AddWarpsKnob(const void* kernel, int threads, Family* family) {
  constexpr int kDoses = 2;
  int blocks = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  if (blocks < kDoses + 2) return;
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const int of_block = threads / kWarp, all = Attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  for (int dose = 1; dose <= kDoses; ++dose) {
    const int warps = (blocks - dose) * of_block;
    const int taken = attributes.numRegs * warps + Sleepers::kRegisters * (WarpSlots() - warps);
    if (taken * kWarp > all) return;
  }
  family->knobs.push_back({"warps", blocks * of_block, -of_block, true});
}

}  // namespace zoo
