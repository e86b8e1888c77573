// SPDX-License-Identifier: Apache-2.0
//
// Many threads launch in ranges of their own and fill CUPTI's buffers, while the collector reads
// both: what CUPTI does on launching threads is done here by hand, the rest is the real thing.
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/activity/activity_decode.h"
#include "cupti_backend/calls/call_encoder.h"
#include "cupti_backend/calls/call_trace.h"
#include "lib/capture/capture.h"
#include "lib/capture/collector/buffer_pool.h"
#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/snapshot/read/reader.h"
#include "test/cupti_backend/activity/activity_buffer.h"

namespace prof::cupti::test {
namespace {

constexpr int kThreads = 8, kBuffers = 12, kLaunches = 60;  // of a thread; of a buffer

// A few buffers for many threads: some have to wait for the collector.
struct Gpu {
  capture::BufferPool pool{6 * capture::BufferPool::kBufferBytes};
  CuptiApi api = DecodingApi();
};
Gpu* gpu = nullptr;

class Source final : public capture::GpuSource {
 public:
  void Start(const SessionOptions&, bool) override {}
  void Gather(bool) override {}
  void Encode(const capture::CallEvent& call, capture::EventSink& sink) override {
    calls_.Encode(call, sink);
  }
  void Encode(capture::EventSink& sink) override {
    gpu->pool.Drain([&](uint8_t* data, size_t bytes) {
      decoder_.Decode(data, bytes, sink);
      sink.WriteIfLarge();
    });
  }
  capture::GpuWait::Work WaitForGpu() override { return {}; }
  void Flush() override {}
  bool Pause() override { return true; }
  void Resume() override {}
  void StopCounters() override {}
  void Stop() override {}
  capture::SourceVersions versions() const override { return {}; }
  SubsystemStatus timeline_status() const override { return {State::kWorking, 0, "", ""}; }
  SubsystemStatus counters_status() const override { return {}; }
  bool counters_complete() const override { return true; }
  bool counters_pending() const override { return false; }
  bool saw_gpu_work() const override { return true; }
  void AddLosses(Integrity&) const override {}

 private:
  ActivityDecoder decoder_{&gpu->api};
  CallEncoder calls_{&gpu->api};
};

// One launch of thread `index`, now: its call and its kernel.
void Launch(int index, uint32_t correlation, ActivityBuffer* buffer) {
  static const std::string names[2] = {"_Z4evenv", "_Z3oddv"};
  BeginCall(1);
  EndCall(1, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, correlation, 0);
  auto kernel = Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  kernel.name = names[index % 2].c_str();
  kernel.gridX = kernel.gridY = kernel.gridZ = 1;
  kernel.blockX = kernel.blockY = kernel.blockZ = 1;
  kernel.contextId = 1;
  kernel.streamId = static_cast<uint32_t>(index);
  kernel.correlationId = correlation;
  kernel.start = static_cast<uint64_t>(capture::RealtimeNs());
  kernel.end = kernel.start + 500;
  buffer->Add(kernel);
}

void RunThread(int index) {
  for (int filled = 0; filled < kBuffers; ++filled) {
    uint8_t* bytes = nullptr;
    while ((bytes = gpu->pool.Take()) == nullptr) sched_yield();
    ActivityBuffer buffer;
    for (int i = 0; i < kLaunches; ++i) {
      const auto correlation =
          static_cast<uint32_t>((index * kBuffers + filled) * kLaunches + i + 1);
      capture::PushRange({"thread " + std::to_string(index), ""});
      Launch(index, correlation, &buffer);
      capture::PopRange("");
    }
    std::memcpy(bytes, buffer.data(), buffer.size());
    gpu->pool.GiveFull(bytes, buffer.size());
  }
}

TEST_CASE("What eight threads launch is all there, each launch in its thread's range") {
  Gpu the_gpu;
  gpu = &the_gpu;
  SubsystemStatus why;
  const auto capture = capture::Capture::Start({}, false, {}, &why);
  REQUIRE(capture != nullptr);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(RunThread, i);
  for (std::thread& thread : threads) thread.join();
  const Snapshot snapshot = capture->Stop(std::chrono::milliseconds(20'000));
  CHECK(snapshot.integrity().complete());

  const absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  REQUIRE(model.ok());
  REQUIRE(model->ops.size() == size_t{kThreads} * kBuffers * kLaunches);
  std::map<uint32_t, int> seen;
  int elsewhere = 0;
  for (const model::Op& op : model->ops) {
    ++seen[op.correlation];
    if (model->paths.at(op.path).full != "thread " + std::to_string(op.stream)) ++elsewhere;
  }
  CHECK(seen.size() == model->ops.size());
  CHECK(elsewhere == 0);
}

}  // namespace
}  // namespace prof::cupti::test

namespace prof::capture {

std::unique_ptr<GpuSource> MakeGpuSource() { return std::make_unique<cupti::test::Source>(); }

}  // namespace prof::capture
