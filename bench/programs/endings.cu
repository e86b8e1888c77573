// SPDX-License-Identifier: Apache-2.0
//
// This program launches kernels that it counts, and then ends or cleans up in a way that is hard on
// a profiler.
//
//   endings KIND        without KIND it prints the kinds
//
// It prints "[ending] kernels N": how many launches came to their end.
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "cuda_check.h"
#include "endings.h"

namespace endings {

void Print(int launches) {
  std::printf("[ending] kernels %d\n", launches);
  std::fflush(stdout);
}

}  // namespace endings

namespace {

using endings::Print;

constexpr int kLaunches = 2000, kRounds = 20;

__global__ void counted(int* done) {
  if (threadIdx.x == 0) atomicAdd(done, 1);
}

// Runs until the process is gone.
__global__ void forever(const volatile int* stop) {
  while (*stop == 0) {
  }
}

void LaunchInto(int* done, int launches, cudaStream_t stream) {
  for (int i = 0; i < launches; ++i) counted<<<1, 32, 0, stream>>>(done);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(stream));
}

void Launch(int launches) {
  int* done = nullptr;
  CUDA_CHECK(cudaMalloc(&done, sizeof(int)));
  LaunchInto(done, launches, nullptr);
}

// All memory and kernels are there before the kernel without end: to load or allocate may wait for
// it.
int Persistent() {
  int *stop = nullptr, *done = nullptr;
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  CUDA_CHECK(cudaMalloc(&stop, sizeof(int)));
  CUDA_CHECK(cudaMalloc(&done, sizeof(int)));
  CUDA_CHECK(cudaMemset(stop, 0xff, sizeof(int)));
  forever<<<1, 1, 0, streams[0]>>>(stop);  // ends at once
  LaunchInto(done, kLaunches / 2, streams[1]);
  CUDA_CHECK(cudaMemset(stop, 0, sizeof(int)));
  CUDA_CHECK(cudaDeviceSynchronize());
  forever<<<1, 1, 0, streams[0]>>>(stop);
  LaunchInto(done, kLaunches / 2, streams[1]);
  Print(kLaunches);
  _exit(0);  // the runtime's exit handler would wait for the kernel without end
}

int AtOnce() {
  Launch(kLaunches);
  Print(kLaunches);
  _exit(0);
}

int Reset() {
  for (int i = 0; i < kRounds; ++i) {
    Launch(kLaunches / kRounds);
    CUDA_CHECK(cudaDeviceReset());
  }
  Print(kLaunches);
  return 0;
}

template <typename Function>
Function Driver(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &function, 11000, cudaEnableDefault, &found));
  if (function != nullptr) return reinterpret_cast<Function>(function);
  std::fprintf(stderr, "the driver has no %s\n", name);
  std::exit(1);
}

// Contexts beside the runtime's own: the driver gives a new one the address of the one before it.
int Contexts() {
  using Create = CUresult (*)(CUcontext*, unsigned, CUdevice);
  using Destroy = CUresult (*)(CUcontext);
  const auto create = Driver<Create>("cuCtxCreate");
  const auto destroy = Driver<Destroy>("cuCtxDestroy");
  for (int i = 0; i < kRounds; ++i) {
    CUcontext context = nullptr;
    if (create(&context, 0, 0) != CUDA_SUCCESS) return 1;
    Launch(kLaunches / kRounds);
    if (destroy(context) != CUDA_SUCCESS) return 1;
  }
  Print(kLaunches);
  return 0;
}

// Another thread ends the process while this one launches, until the runtime refuses.
int ThreadExits() {
  int* done = nullptr;
  CUDA_CHECK(cudaMalloc(&done, sizeof(int)));
  Launch(kLaunches);
  Print(kLaunches);
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::exit(0);
  }).detach();
  while (cudaGetLastError() == cudaSuccess) {
    for (int i = 0; i < 100; ++i) counted<<<1, 32>>>(done);
    (void)cudaStreamSynchronize(nullptr);
  }
  while (true) pause();
}

int InRange() {
  nvtxRangePushA("never closed");
  Launch(kLaunches);
  Print(kLaunches);
  return 0;
}

// Long enough for counters, and for seconds that are not kept.
int Steps() {
  constexpr int kSteps = 3000, kPerStep = 4;
  int* done = nullptr;
  CUDA_CHECK(cudaMalloc(&done, sizeof(int)));
  for (int i = 0; i < kSteps; ++i) {
    LaunchInto(done, kPerStep, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Print(kSteps * kPerStep);
  return 0;
}

// The program waits for a kernel that waits for the host, and gets the signal that dumps, where
// anybody catches it.
int Hung() {
  constexpr std::chrono::milliseconds kFlushed(700), kUntilSignal(500), kForDump(3000);
  int *stop = nullptr, *on_device = nullptr;
  CUDA_CHECK(cudaHostAlloc(&stop, sizeof(int), cudaHostAllocMapped));
  CUDA_CHECK(cudaHostGetDevicePointer(&on_device, stop, 0));
  *stop = 1;
  forever<<<1, 1>>>(on_device);  // it is loaded, and ends at once
  CUDA_CHECK(cudaDeviceSynchronize());
  Launch(kLaunches);
  std::this_thread::sleep_for(kFlushed);
  *stop = 0;
  forever<<<1, 1>>>(on_device);
  std::thread other([&] {
    std::this_thread::sleep_for(kUntilSignal);
    struct sigaction action = {};
    sigaction(SIGUSR1, nullptr, &action);
    const bool caught = (action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL;
    if (caught) kill(getpid(), SIGUSR1);
    std::this_thread::sleep_for(kForDump);
    *static_cast<volatile int*>(stop) = 1;
  });
  CUDA_CHECK(cudaDeviceSynchronize());
  other.join();
  Print(kLaunches);
  return 0;
}

const std::map<std::string, std::function<int()>>& Endings() {
  static const auto& endings = *new std::map<std::string, std::function<int()>>{
      {"persistent", Persistent},
      {"at-once", AtOnce},
      {"reset", Reset},
      {"contexts", Contexts},
      {"thread-exits", ThreadExits},
      {"in-range", InRange},
      {"steps", Steps},
      {"hung", Hung},
      {"per-thread", endings::PerThread},
      {"finalize", [] { return endings::FinalizeCupti(false, false); }},
      {"finalize-graph", [] { return endings::FinalizeCupti(true, false); }},
      {"finalize-alone", [] { return endings::FinalizeCupti(false, true); }},
      {"finalize-graph-alone", [] { return endings::FinalizeCupti(true, true); }},
  };
  return endings;
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = Endings().find(argc > 1 ? argv[1] : "");
  if (found == Endings().end()) {
    std::fprintf(stderr, "usage: endings KIND; kinds:");
    for (const auto& [name, ending] : Endings()) std::fprintf(stderr, " %s", name.c_str());
    std::fputc('\n', stderr);
    return 2;
  }
  if (!HasDevice()) return 0;
  return found->second();
}
