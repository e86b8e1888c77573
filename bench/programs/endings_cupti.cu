// SPDX-License-Identifier: Apache-2.0
//
// A program in which CUPTI is ended in mid-run. Its phases are NVTX ranges:
//
//   before     CUPTI is there
//   unseen     from cuptiFinalize on, long enough for a profiler to begin again
//   after      launches
//   old graph  launches of the graph that was made before (with `graph`)
//   new graph  launches of one that is made now (with `graph`)
//
// It prints "[phase] NAME: N" for each: how many kernels it launched in it, and "[cupti] PATH".
// With `alone` also "[alone] NAME: N": how many records its own client got.
#include <cupti.h>
#include <dlfcn.h>
#include <link.h>
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "cuda_check.h"
#include "endings.h"

namespace endings {
namespace {

// A step launches this many kernels and waits for them; a graph has as many nodes. A step takes a
// millisecond at least.
constexpr int kPerStep = 10;
constexpr int kStepsBefore = 1500, kStepsUnseen = 3000, kStepsAfter = 200;
constexpr int kNoCupti = 3;
constexpr size_t kBufferBytes = size_t{1} << 20;

__global__ void counted(int* done) {
  if (threadIdx.x == 0) atomicAdd(done, 1);
}

// The path of the CUPTI in this process; "": none.
std::string MappedCupti() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        if (std::strstr(info->dlpi_name, "/libcupti.so") == nullptr) return 0;
        *static_cast<std::string*>(found) = info->dlpi_name;
        return 1;
      },
      &path);
  return path;
}

class Cupti {
 public:
  // The copy that a profiler has loaded, because each copy has a state of its own. `load`: where
  // there is none, the loader's.
  explicit Cupti(bool load) {
    const std::string mapped = MappedCupti();
    if (!mapped.empty()) handle_ = dlopen(mapped.c_str(), RTLD_NOW | RTLD_NOLOAD);
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
      if (handle_ == nullptr && load) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }

  bool found() const { return handle_ != nullptr; }

  template <typename Function>
  Function Find(const char* name) const {
    return found() ? reinterpret_cast<Function>(dlsym(handle_, name)) : nullptr;
  }

  // Ends the program where CUPTI refuses. Without CUPTI it does nothing.
  template <typename Function, typename... Arguments>
  void Call(const char* name, Arguments... arguments) const {
    if (!found()) return;
    const Function function = Find<Function>(name);
    const CUptiResult result =
        function == nullptr ? CUPTI_ERROR_NOT_SUPPORTED : function(arguments...);
    if (result == CUPTI_SUCCESS) return;
    std::fprintf(stderr, "%s: error %d\n", name, static_cast<int>(result));
    std::exit(kNoCupti);
  }

 private:
  void* handle_ = nullptr;
};

#define CUPTI_CALL(cupti, name, ...) (cupti).Call<decltype(&name)>(#name, ##__VA_ARGS__)

// A client as small as it can be: it counts the records of kernels.
class Client {
 public:
  explicit Client(const Cupti& cupti) : cupti_(cupti) {
    next_record = cupti.Find<decltype(next_record)>("cuptiActivityGetNextRecord");
  }

  void Begin() {
    CUPTI_CALL(cupti_, cuptiSubscribe, &subscriber_, CUpti_CallbackFunc{&OnCallback},
               static_cast<void*>(nullptr));
    CUPTI_CALL(cupti_, cuptiEnableCallback, uint32_t{1}, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API,
               CUpti_CallbackId{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel});
    CUPTI_CALL(cupti_, cuptiActivityRegisterCallbacks, &GiveBuffer, &TakeBuffer);
    CUPTI_CALL(cupti_, cuptiActivityEnable, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }

  // The records since the last call.
  int Take() {
    CUPTI_CALL(cupti_, cuptiActivityFlushAll, uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
    return kernels.exchange(0);
  }

 private:
  static void CUPTIAPI OnCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

  static void CUPTIAPI GiveBuffer(uint8_t** buffer, size_t* size, size_t* records) {
    *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferBytes));
    *size = *buffer == nullptr ? 0 : kBufferBytes;
    *records = 0;
  }

  static void CUPTIAPI TakeBuffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
    CUpti_Activity* record = nullptr;
    while (next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ++kernels;
    }
    std::free(buffer);
  }

  static inline decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  static inline std::atomic<int> kernels{0};

  const Cupti& cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

class Work {
 public:
  Work() {
    CUDA_CHECK(cudaMalloc(&done_, sizeof(int)));
    CUDA_CHECK(cudaMemset(done_, 0, sizeof(int)));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }

  cudaGraphExec_t MakeGraph() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t instance = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    LaunchStep();
    CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&instance, graph, 0));
    return instance;
  }

  // Launches of `graph`, or of kernels where it is null; with both, in turns.
  int Steps(const char* phase, int steps, cudaGraphExec_t graph, bool kernels) {
    nvtxRangePushA(phase);
    int launched = 0;
    for (int i = 0; i < steps; ++i) {
      if (graph != nullptr) CUDA_CHECK(cudaGraphLaunch(graph, stream_));
      if (kernels) LaunchStep();
      launched += kPerStep * (static_cast<int>(graph != nullptr) + static_cast<int>(kernels));
      CUDA_CHECK(cudaStreamSynchronize(stream_));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    nvtxRangePop();
    CUDA_CHECK(cudaDeviceSynchronize());
    std::printf("[phase] %s: %d\n", phase, launched);
    std::fflush(stdout);
    return launched;
  }

  int done() const {
    int done = 0;
    CUDA_CHECK(cudaMemcpy(&done, done_, sizeof(done), cudaMemcpyDeviceToHost));
    return done;
  }

 private:
  void LaunchStep() {
    for (int i = 0; i < kPerStep; ++i) counted<<<1, 32, 0, stream_>>>(done_);
    CUDA_CHECK(cudaGetLastError());
  }

  int* done_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

int FinalizeCupti(bool with_graph, bool alone) {
  CUDA_CHECK(cudaFree(nullptr));
  const Cupti own(alone);
  if (alone && !own.found()) return kNoCupti;
  Client client(own);
  const auto take = [&](const char* phase) {
    if (alone) std::printf("[alone] %s: %d\n", phase, client.Take());
  };
  if (alone) client.Begin();
  Work work;
  const cudaGraphExec_t old_graph = with_graph ? work.MakeGraph() : nullptr;
  int launched = work.Steps("before", kStepsBefore, old_graph, true);
  take("before");
  const Cupti cupti(false);  // a profiler has loaded it by now
  std::printf("[cupti] %s\n", cupti.found() ? MappedCupti().c_str() : "none");
  // CUPTI's documentation wants the caller to have waited and flushed.
  CUPTI_CALL(cupti, cuptiActivityFlushAll, uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
  CUPTI_CALL(cupti, cuptiFinalize);
  launched += work.Steps("unseen", kStepsUnseen, old_graph, true);
  if (alone) client.Begin();
  launched += work.Steps("after", kStepsAfter, nullptr, true);
  take("after");
  if (with_graph) {
    launched += work.Steps("old graph", kStepsAfter, old_graph, false);
    take("old graph");
    launched += work.Steps("new graph", kStepsAfter, work.MakeGraph(), false);
    take("new graph");
  }
  std::printf("[checksum] launched %d done %d\n", launched, work.done());
  return 0;
}

}  // namespace endings
