// SPDX-License-Identifier: Apache-2.0
//
// This program launches kernels that wait: for the host, for a kernel on another stream, for a
// copy, for a memset. What they wait for comes later, after delays that it draws. Whoever holds up
// a launch until a waiting kernel ends makes it wait without end; so the kernels give up after a
// while and count that, and a watchdog ends the program where nothing goes on.
//
//   delays --seed N --rounds N
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cuda_check.h"

namespace {

constexpr uint64_t kGiveUpNs = 2'000'000'000;
constexpr int kWatchdogSeconds = 20, kHung = 3;
constexpr int kStreams = 4;  // fewer than the hardware's queues: none waits behind another
constexpr int kWaitsPerRound = 12;
constexpr int kGpuWays = 3, kWays = 5;  // to set what a kernel waits for; the other two: the host
constexpr int kMostDelayUs = 400, kMostLongDelayUs = 3000, kLongDelayEvery = 8;

struct Counts {
  unsigned given_up, ended, worked;
};

__device__ uint64_t NowNs() {
  uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Several kernels that do the same: nothing about a name says that it waits.
template <int kKind>
__global__ void step_kernel(const volatile unsigned* flag, Counts* counts) {
  const uint64_t start = NowNs();
  while (*flag == 0) {
    if (NowNs() - start > kGiveUpNs) {
      atomicAdd(&counts->given_up, 1u);
      break;
    }
  }
  atomicAdd(&counts->ended, 1u);
}

__global__ void set_flag(unsigned* flag) {
  *flag = 1;
  __threadfence_system();
}

template <int kKind>
__global__ void work_kernel(int rounds, float factor, Counts* counts, float* sink) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < rounds; ++i) value = fmaf(value, factor, 1.0f + kKind);
  if (value == -1.0f) *sink = value;
  if (threadIdx.x == 0 && blockIdx.x == 0) atomicAdd(&counts->worked, 1u);
}

class Delays {
 public:
  explicit Delays(uint64_t seed) : random_(seed) {
    CUDA_CHECK(cudaHostAlloc(&host_flags_, kWaitsPerRound * sizeof(unsigned), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&mapped_flags_, host_flags_, 0));
    CUDA_CHECK(cudaMalloc(&flags_, kWaitsPerRound * sizeof(unsigned)));
    CUDA_CHECK(cudaMallocHost(&one_, sizeof(unsigned)));
    CUDA_CHECK(cudaMalloc(&counts_, sizeof(Counts)));
    CUDA_CHECK(cudaMemset(counts_, 0, sizeof(Counts)));
    CUDA_CHECK(cudaMalloc(&sink_, sizeof(float)));
    CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    *one_ = 1;
    for (cudaStream_t& stream : streams_) {
      CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    LoadAll();
  }

  void Round() {
    Reset();
    for (int wait = 0; wait < kWaitsPerRound; ++wait) {
      Work(static_cast<int>(Random(4)));
      RandomWait(wait);
      ++progress_;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  // What a right program prints depends on the seed alone.
  void Print(int rounds) const {
    Counts counts{};
    CUDA_CHECK(cudaMemcpy(&counts, counts_, sizeof(counts), cudaMemcpyDeviceToHost));
    std::printf("[checksum] rounds %d waits %u worked %u drawn %llu\n", rounds, counts.ended,
                counts.worked, static_cast<unsigned long long>(drawn_));
    std::printf("[delays] given_up %u\n", counts.given_up);
  }

  uint64_t progress() const { return progress_; }

 private:
  uint64_t Random(uint64_t below) {
    const uint64_t value = random_() % below;
    drawn_ = drawn_ * 31 + value;
    return value;
  }

  void Delay() {
    const bool is_long = Random(kLongDelayEvery) == 0;
    std::this_thread::sleep_for(
        std::chrono::microseconds(Random(is_long ? kMostLongDelayUs : kMostDelayUs)));
  }

  // A kernel is loaded at its first launch, which waits for all kernels under way.
  void LoadAll() {
    Reset();
    for (int kind = 0; kind < 4; ++kind) {
      host_flags_[kind] = 1;
      Wait(kind, mapped_flags_ + kind, streams_[0]);
      WorkOf(kind, 1, streams_[0]);
    }
    for (int way = 0; way < kGpuWays; ++way) SetByGpu(way, way, streams_[0]);
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  void Reset() {
    for (int i = 0; i < kWaitsPerRound; ++i) host_flags_[i] = 0;
    CUDA_CHECK(cudaMemset(flags_, 0, kWaitsPerRound * sizeof(unsigned)));
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  void Wait(int kind, const unsigned* flag, cudaStream_t stream) {
    switch (kind) {
      case 0:
        step_kernel<0><<<1, 1, 0, stream>>>(flag, counts_);
        break;
      case 1:
        step_kernel<1><<<1, 32, 0, stream>>>(flag, counts_);
        break;
      case 2:
        step_kernel<2><<<2, 1, 0, stream>>>(flag, counts_);
        break;
      default:
        step_kernel<3><<<1, 64, 0, stream>>>(flag, counts_);
    }
    CUDA_CHECK(cudaGetLastError());
  }

  void WorkOf(int kind, int rounds, cudaStream_t stream) {
    switch (kind) {
      case 0:
        work_kernel<0><<<132, 256, 0, stream>>>(rounds, 0.5f, counts_, sink_);
        break;
      case 1:
        work_kernel<1><<<264, 128, 0, stream>>>(rounds, 0.5f, counts_, sink_);
        break;
      case 2:
        work_kernel<2><<<40, 512, 0, stream>>>(rounds, 0.5f, counts_, sink_);
        break;
      default:
        work_kernel<3><<<1000, 64, 0, stream>>>(rounds, 0.5f, counts_, sink_);
    }
    CUDA_CHECK(cudaGetLastError());
  }

  // Launches on any stream, with delays between them.
  void Work(int launches) {
    for (int i = 0; i < launches; ++i) {
      WorkOf(static_cast<int>(Random(4)), 100 + static_cast<int>(Random(20'000)),
             streams_[Random(kStreams)]);
      if (Random(2) == 0) Delay();
    }
  }

  void SetByHost(int wait, bool by_another_thread) {
    volatile unsigned* const flag = host_flags_ + wait;
    if (!by_another_thread) {
      Work(2);  // behind the waiting kernel, or beside it
      Delay();
      *flag = 1;
      return;
    }
    const auto delay = std::chrono::microseconds(Random(kMostLongDelayUs));
    std::thread other([flag, delay] {
      std::this_thread::sleep_for(delay);
      *flag = 1;
    });
    Work(2);
    other.join();
  }

  void SetByGpu(int way, int wait, cudaStream_t stream) {
    unsigned* const flag = flags_ + wait;
    if (way == 0) set_flag<<<1, 1, 0, stream>>>(flag);
    if (way == 1) {
      CUDA_CHECK(cudaMemcpyAsync(flag, one_, sizeof(unsigned), cudaMemcpyHostToDevice, stream));
    }
    if (way == 2) CUDA_CHECK(cudaMemsetAsync(flag, 1, sizeof(unsigned), stream));
    CUDA_CHECK(cudaGetLastError());
  }

  // A kernel that waits on one stream, and what it waits for, from elsewhere. In some waits a third
  // stream waits for the first with an event.
  void RandomWait(int wait) {
    const uint64_t stream = Random(kStreams);
    const int way = static_cast<int>(Random(kWays));
    const cudaStream_t waiting = streams_[stream];
    const cudaStream_t other = streams_[(stream + 1 + Random(kStreams - 1)) % kStreams];
    const bool by_host = way >= kGpuWays;
    Wait(static_cast<int>(Random(4)), (by_host ? mapped_flags_ : flags_) + wait, waiting);
    if (by_host && Random(3) == 0) {
      CUDA_CHECK(cudaEventRecord(event_, waiting));
      CUDA_CHECK(cudaStreamWaitEvent(other, event_, 0));
    }
    if (by_host) {
      SetByHost(wait, way == kGpuWays);
    } else {
      // Behind what the other stream has to do. All of that ends without this wait.
      Delay();
      SetByGpu(way, wait, other);
    }
    if (Random(3) == 0) CUDA_CHECK(cudaStreamSynchronize(waiting));
  }

  std::mt19937_64 random_;
  uint64_t drawn_ = 0;
  std::atomic<uint64_t> progress_ = 0;
  unsigned *host_flags_ = nullptr, *mapped_flags_ = nullptr, *flags_ = nullptr, *one_ = nullptr;
  Counts* counts_ = nullptr;
  float* sink_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaStream_t streams_[kStreams] = {};
};

// Ends the program where nothing went on for kWatchdogSeconds.
void Watch(const Delays& delays, const std::atomic<bool>& ended) {
  constexpr int kPerSecond = 10;
  uint64_t seen = 0;
  for (int quiet = 0; !ended; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1000 / kPerSecond));
    const uint64_t now = delays.progress();
    if (now != seen) quiet = 0;
    seen = now;
    if (quiet < kWatchdogSeconds * kPerSecond) continue;
    std::printf("[hang] after %llu waits\n", static_cast<unsigned long long>(now));
    std::fflush(stdout);
    _exit(kHung);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || std::string(argv[1]) != "--seed" || std::string(argv[3]) != "--rounds") {
    std::fprintf(stderr, "usage: delays --seed N --rounds N\n");
    return 2;
  }
  if (!HasDevice()) return 0;
  const int rounds = std::atoi(argv[4]);
  Delays delays(std::strtoull(argv[2], nullptr, 10));
  std::atomic<bool> ended = false;
  std::thread watchdog([&] { Watch(delays, ended); });
  for (int round = 0; round < rounds; ++round) delays.Round();
  ended = true;
  watchdog.join();
  delays.Print(rounds);
  return 0;
}
