// SPDX-License-Identifier: Apache-2.0
//
// The hot paths of prof, for callgrind to count their instructions. gate.py runs it:
//
//   hot_paths              prints the build that the counts belong to
//   hot_paths CASE         works within MeasuredPart(), and prints how many operations that were
#include <gnu/libc-version.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/activity/activity_decode.h"
#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/launch_callback.h"
#include "cupti_backend/sampling/counter_sampler.h"
#include "lib/capture/collector/memory_output.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/tensor_memory.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/tick_clock.h"
#include "lib/capture/threads/torch_ops.h"
#include "lib/capture/wire/encoder.h"
#include "lib/snapshot/read/reader.h"
#include "nvtx_bridge/injection.h"
#include "test/cupti_backend/fake_cupti.h"
#include "test/support/activity_records.h"
#include "test/support/launch_storm.h"

using prof::capture::ThreadReader;

// callgrind counts what runs between the begin and the end of this function.
extern "C" __attribute__((noinline)) void MeasuredPart(const std::function<void()>& work) {
  work();
}

namespace {

constexpr int kChunk = 500;  // fits a thread's ring
constexpr int kChunks = 20;

// Works in chunks, and empties the ring after each: the program's thread alone is measured.
int InChunks(const std::function<void()>& operation) {
  ThreadReader reader;
  reader.Start(prof::capture::RealtimeNs());
  const auto chunk = [&] {
    for (int i = 0; i < kChunk; ++i) operation();
  };
  ThreadReader::Sink sink;
  sink.path = [](const prof::capture::RangePathInfo&) {};
  sink.step = [](uint32_t, const prof::capture::RangeEvent&) {};
  sink.call = [](const prof::capture::CallEvent&) {};
  sink.tensor = [](const prof::capture::TensorEvent&) {};
  chunk();  // the thread becomes known, and the range's name
  reader.Drain(sink);
  for (int i = 0; i < kChunks; ++i) {
    MeasuredPart(chunk);
    reader.Drain(sink);
  }
  const uint64_t lost = reader.events_dropped() + reader.calls_dropped() + reader.tensors_dropped();
  reader.Stop();
  return lost == 0 ? kChunk * kChunks : 0;
}

// A range that the program opens and closes, through NVTX.
int Ranges() {
  InitializeInjectionNvtx2_fnptr = &InitializeInjectionNvtx2;  // NVTX's way for static tools
  nvtxRangePushA("step");
  const int count = InChunks([] {
    nvtxRangePushA("decoder.layer.attention");
    nvtxRangePop();
  });
  nvtxRangePop();
  return count;
}

// An op of PyTorch in another one, as torch_bridge reports it; it makes no autograd node.
int Ops() {
  char outer = 0, inner = 0;  // their addresses stand for PyTorch's events
  prof::capture::PushTorchOp({prof::capture::TorchScope::kFunction, "aten::linear", &outer, 0});
  const int count = InChunks([&inner] {
    prof::capture::PushTorchOp({prof::capture::TorchScope::kFunction, "aten::addmm", &inner, 0});
    prof::capture::PopTorchOp(&inner);
  });
  prof::capture::PopTorchOp(&outer);
  return count;
}

// A tensor that gets memory and gives it back, as PyTorch's allocator reports it; without stacks.
int Tensors() {
  using prof::capture::TensorChange;
  prof::capture::WantTensors(true);
  const int count = InChunks([] {
    prof::capture::RecordTensor({TensorChange::kAllocated, 0, 0x7f0000000000, 4096});
    prof::capture::RecordTensor({TensorChange::kFreed, 0, 0x7f0000000000, 0});
  });
  prof::capture::WantTensors(false);
  return count;
}

CUpti_CallbackFunc callback;
void* user_data;

CUptiResult CUPTIAPI Subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function,
                               void* data, CUpti_SubscriberParams*) {
  callback = function;
  user_data = data;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(data);
  return CUPTI_SUCCESS;
}

// A context is there, and its counters are prepared.
void Prepare(const prof::cupti::CounterSampler& sampler, CUcontext context) {
  CUpti_ResourceData created = {};
  created.context = context;
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &created);
  for (int i = 0; i < 100 || (i < 10'000 && !sampler.Settled()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// A launch of a kernel, with both of CUPTI's callbacks, while the timeline is recorded. With
// counters its signature has its sample already.
int Launches(bool counters) {
  static prof::cupti::test::FakeCupti cupti;
  cupti.api.subscribe_by_name = &Subscribe;
  cupti.api.enable_callback = [](uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                 CUpti_CallbackId) { return CUPTI_SUCCESS; };
  prof::SessionOptions options;
  options.counters = prof::Counters::kNone;
  if (counters) options.metrics = {"m0.sum"};
  options.samples_per_signature = 1;
  options.skip_first_launches = 0;
  options.counter_budget_seconds = 100;
  static prof::cupti::LaunchCallback launches(&cupti.api);
  prof::cupti::CounterSampler sampler(&cupti.api, &cupti.driver, options);
  std::string holder;
  if (launches.Subscribe(&holder) != CUPTI_SUCCESS) return 0;
  launches.Enable(&sampler.launches(), nullptr);
  const auto context = reinterpret_cast<CUcontext>(uintptr_t{64});
  if (counters) Prepare(sampler, context);
  cuLaunchKernel_params parameters = {};
  parameters.gridDimX = 1;
  CUpti_CallbackData data = {};
  data.functionParams = &parameters;
  data.context = context;
  data.symbolName = "kernel";
  const int count = InChunks([&] {
    ++data.correlationId;
    for (const CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
      data.callbackSite = site;
      callback(user_data, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
               &data);
    }
  });
  const bool seen = launches.launches() == static_cast<uint64_t>(kChunk) * (kChunks + 1);
  const std::vector<std::string> log = cupti.log();
  const bool sampled = std::count(log.begin(), log.end(), "push 0") == 1;
  launches.Disable();
  sampler.Stop();
  return seen && sampled == counters ? count : 0;
}

CUptiResult CUPTIAPI NextKernel(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  auto* next = reinterpret_cast<uint8_t*>(*record);
  next = next == nullptr ? buffer : next + sizeof(CUpti_ActivityKernel10);
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

// A record of a kernel from CUPTI's buffer to the bytes of the file.
int Records() {
  constexpr int kRecords = 10'000;
  // At an address that no build or machine changes: the cache of the decoder hashes addresses, and
  // two names that meet in it add a tenth to the count.
  using Names = std::array<std::array<char, 64>, 20>;
  void* place =
      mmap(reinterpret_cast<void*>(uintptr_t{0x10'0000'0000}), sizeof(Names),
           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (place == MAP_FAILED) return 0;
  Names& names = *new (place) Names{};
  for (size_t i = 0; i < names.size(); ++i) {
    std::snprintf(names[i].data(), names[i].size(), "_ZN5layer6kernelILi%zuEEEv", i);
  }
  prof::cupti::test::ActivityBuffer buffer;
  for (uint32_t i = 0; i < kRecords; ++i) {
    auto kernel =
        prof::cupti::test::Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    kernel.name = names[i % names.size()].data();
    kernel.gridX = 132 + i % 20;
    kernel.gridY = kernel.gridZ = kernel.blockY = kernel.blockZ = 1;
    kernel.blockX = 256;
    kernel.contextId = 1;
    kernel.streamId = 7;
    kernel.correlationId = i + 1;
    kernel.start = 1'700'000'000'000'000'000 + 4'000 * uint64_t{i} + i * 7919 % 311 * 32;
    kernel.end = kernel.start + 1'216 + i * 104'729 % 157 * 32;
    buffer.Add(kernel);
  }
  prof::cupti::CuptiApi api;
  api.activity_get_next_record = &NextKernel;
  prof::capture::MemoryOutput output;
  prof::capture::Encoder encoder(&output);
  prof::cupti::ActivityDecoder decoder(&api);
  encoder.Add(prof::capture::HeaderEvent{});
  MeasuredPart([&] {
    decoder.Decode(buffer.data(), buffer.size(), encoder);
    encoder.WriteLastBlock({}, 1);
  });
  return output.TakeBytes().size() > kRecords ? kRecords : 0;
}

// A launch of a recording, read and joined with its call and its range.
int Reads() {
  constexpr int kLaunches = 5'000;  // less than a megabyte: no second thread
  prof::capture::MemoryOutput output;
  prof::capture::Encoder encoder(&output);
  prof::test::LaunchStorm storm(&encoder, 20);
  for (int i = 0; i < kLaunches; ++i) storm.Launch();
  encoder.WriteLastBlock({}, storm.host_ns());
  const std::string bytes = output.TakeBytes();
  if (!prof::ReadSnapshot(bytes).ok()) return 0;  // protobuf builds its descriptors once
  size_t read = 0;
  MeasuredPart([&] {
    const auto model = prof::ReadSnapshot(bytes);
    read = model.ok() ? model->ops.size() : 0;
  });
  return read == kLaunches ? kLaunches : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("%s, glibc %s\n", PROF_BUILD, gnu_get_libc_version());
    return 0;
  }
  // Whatever this machine's clock source is.
  prof::capture::ticks_are_counter = true;
  const std::string name = argv[1];
  int count = 0;
  if (name == "range") count = Ranges();
  if (name == "op") count = Ops();
  if (name == "tensor") count = Tensors();
  if (name == "launch") count = Launches(/*counters=*/false);
  if (name == "counters") count = Launches(/*counters=*/true);
  if (name == "record") count = Records();
  if (name == "read") count = Reads();
  std::printf("%d\n", count);
  return count > 0 ? 0 : 1;
}
