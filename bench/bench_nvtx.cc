// SPDX-License-Identifier: Apache-2.0
//
// Measures what an NVTX range costs the program: a push and a pop, without a tool and with our
// handlers.
#include <benchmark/benchmark.h>
#include <nvtx3/nvToolsExt.h>
#include <semaphore.h>

#include <atomic>
#include <string>
#include <thread>

#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/tick_clock.h"
#include "nvtx_bridge/injection.h"

namespace {

using prof::capture::ThreadReader;

sem_t wake;

// A collector that throws everything away.
class Drainer {
 public:
  Drainer() {
    sem_init(&wake, 0, 0);
    prof::capture::SetRangeWakeup([] { sem_post(&wake); });
    reader_.Start(prof::capture::RealtimeNs());
    thread_ = std::thread([this] {
      while (!done_.load()) {
        sem_wait(&wake);
        reader_.Drain(sink_);
      }
    });
  }
  ~Drainer() {
    reader_.Stop();
    done_.store(true);
    sem_post(&wake);
    thread_.join();
    prof::capture::SetRangeWakeup(nullptr);
  }
  uint64_t dropped() const { return reader_.events_dropped(); }

 private:
  ThreadReader reader_;
  ThreadReader::Sink sink_{
      [](const prof::capture::RangePathInfo&) {},
      [](const prof::capture::TorchShapesInfo&) {},
      [](uint32_t, const prof::capture::RangeEvent& e) { benchmark::DoNotOptimize(e.path); },
      [](const prof::capture::SpanEvent&) {},
      [](const prof::capture::MarkEvent&) {},
      [](const prof::capture::PayloadEvent&) {},
      [](const prof::capture::CallEvent& call) { benchmark::DoNotOptimize(call.call); },
      [](const prof::capture::TensorEvent& e) { benchmark::DoNotOptimize(e.bytes); },
      [](const prof::capture::NumberEvent& e) { benchmark::DoNotOptimize(e.value); }};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

void PushPop(benchmark::State& state) {
  nvtxRangePushA("step");
  for ([[maybe_unused]] auto _ : state) {
    nvtxRangePushA("decoder.layer.attention");
    nvtxRangePop();
  }
  nvtxRangePop();
}

// The reference: NVTX as it is when no tool has attached, its function pointers null.
void BM_NvtxPushPopNoTool(benchmark::State& state) {
  nvtxInitialize(nullptr);
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(
      NVTX_VERSIONED_IDENTIFIER(nvtxGetExportTable)(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, nullptr);
  *table[NVTX_CBID_CORE_RangePushA] = nullptr;
  *table[NVTX_CBID_CORE_RangePop] = nullptr;
  PushPop(state);
  InitializeInjectionNvtx2(NVTX_VERSIONED_IDENTIFIER(nvtxGetExportTable));
}
BENCHMARK(BM_NvtxPushPopNoTool);

void BM_NvtxPushPop(benchmark::State& state) {
  if (state.range(0) == 0) {
    PushPop(state);
    return;
  }
  const Drainer drainer;
  PushPop(state);
  state.counters["dropped"] = static_cast<double>(drainer.dropped());
}
BENCHMARK(BM_NvtxPushPop)->ArgName("recording")->Arg(0)->Arg(1);

// Names without end, which share a path from the 129th on. Making the name is a part of it.
void BM_NvtxPushPopNumbered(benchmark::State& state) {
  const Drainer drainer;
  uint64_t step = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::string name = "step " + std::to_string(step++);
    nvtxRangePushA(name.c_str());
    nvtxRangePop();
  }
  state.counters["dropped"] = static_cast<double>(drainer.dropped());
}
BENCHMARK(BM_NvtxPushPopNumbered);

// Two of these are part of each recorded push and pop.
void BM_TickRead(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(prof::capture::NowTicks());
}
BENCHMARK(BM_TickRead);

// What they are instead of, and are where the kernel does not trust the time stamp counter.
void BM_ClockRead(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(prof::capture::RealtimeNs());
}
BENCHMARK(BM_ClockRead);

// What the launch callback pays for each launch.
void BM_CurrentPath(benchmark::State& state) {
  nvtxRangePushA("step");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(prof::capture::CurrentPath());
  nvtxRangePop();
}
BENCHMARK(BM_CurrentPath);

void BM_NvtxDomainPushPopRegistered(benchmark::State& state) {
  const Drainer drainer;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("bench");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "decoder.layer.attention");
  for ([[maybe_unused]] auto _ : state) {
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
  }
  state.counters["dropped"] = static_cast<double>(drainer.dropped());
}
BENCHMARK(BM_NvtxDomainPushPopRegistered);

}  // namespace

int main(int argc, char** argv) {
  InitializeInjectionNvtx2_fnptr = &InitializeInjectionNvtx2;  // NVTX's way for static tools
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
