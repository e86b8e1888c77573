// SPDX-License-Identifier: Apache-2.0
//
// capture::GpuSource on CUPTI: puts tracer, decoder, sampler and callback together.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cupti_backend/activity/activity_decode.h"
#include "cupti_backend/activity/buffer_watch.h"
#include "cupti_backend/activity/graph_level.h"
#include "cupti_backend/activity/unified_memory.h"
#include "cupti_backend/api/device_info.h"
#include "cupti_backend/calls/call_encoder.h"
#include "cupti_backend/calls/graph_nodes.h"
#include "cupti_backend/cupti_process.h"
#include "cupti_backend/pm/pm_sampler.h"
#include "cupti_backend/sampling/counter_sampler.h"
#include "cupti_backend/torch_profiler.h"
#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/events/event_sink.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/process_info.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::cupti {
namespace {

// PM sampling waits for the sampled launches to be done, but not for ever: a program whose kernels
// change all the time would never get it.
constexpr int64_t kLongestSamplingBeforePmNs = 20'000'000'000;

constexpr char kBuffersTaken[] =
    "CUPTI's records do not reach prof: most likely another profiler in this process has taken "
    "them (torch.profiler does); launches are missing until it ends";
constexpr char kBuffersWereTaken[] =
    "for some time another profiler in this process had CUPTI's records: launches are missing";
constexpr char kBuffersTakenFix[] = "use one of the two at a time";

class CuptiSource final : public capture::GpuSource {
 public:
  ~CuptiSource() override { Stop(); }

  void Start(const SessionOptions& options, bool injected) override {
    SubsystemStatus problem;
    process_ = AcquireCuptiProcess(static_cast<size_t>(options.buffer_mib) << 20,
                                   static_cast<size_t>(options.device_mib) << 20, &problem);
    if (process_ == nullptr) {
      SetTimeline(problem);
      counters_off_ = problem;
      // The program does use the GPU: its ranges, and the reason, are worth a file.
      saw_gpu_work_ = problem.code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
      counters_wanted_ = options.counters != Counters::kNone || !options.metrics.empty();
      return;
    }
    ResolveStreamNames(true);
    first_launch_ = process_->callback.launches();
    first_refused_ = process_->tracer.pool().refused();
    // What an earlier recording left behind, or dropped, is not ours.
    process_->tracer.pool().Drain([](uint8_t*, size_t) {});
    process_->tracer.TakeDropped();
    sampler_ = std::make_unique<CounterSampler>(&process_->api, &process_->driver, options);
    decoder_ = std::make_unique<ActivityDecoder>(&process_->api, &sampler_->records());
    decoder_->SetStart(capture::RealtimeNs());
    calls_ = std::make_unique<CallEncoder>(&process_->api);
    if (options.continuous)
      pm_ = std::make_unique<PmSampler>(&process_->api, &process_->pm_hosts, options);
    GraphNodes& graph_nodes = process_->callback.graph_nodes();
    ranges_ = options.ranges;
    first_node_dropped_ = graph_nodes.dropped();
    graph_nodes.TellAll();
    CUcontext current = nullptr;  // stays null before the program's cuInit
    const bool has_context =
        process_->driver.ctx_get_current(&current) == CUDA_SUCCESS && current != nullptr;
    const Graphs graphs = process_->tracer.DecideGraphs(options.graphs, injected && !has_context);
    if (auto notice = GraphsNotice(options.graphs, graphs)) gathered_.notices.push_back(*notice);
    start_ns_ = capture::MonotonicNs();
    std::string failed;
    const CUptiResult result = process_->tracer.Enable(&failed);
    if (result != CUPTI_SUCCESS) {
      SetTimeline({State::kDegraded, static_cast<int>(result),
                   "CUPTI does not record " + failed + ": " + ErrorText(process_->api, result),
                   "check that nvidia-smi works here"});
    } else {
      SetTimeline({State::kWorking, 0, "", ""});
    }
    if (options.unified_memory) {
      unified_memory_ = std::make_unique<UnifiedMemory>(&process_->api, &process_->driver);
      unified_memory_->Start(&gathered_.notices);
    }
    process_->callback.Enable(&sampler_->launches());
    running_ = true;
    if (has_context) sampler_->launches().OnContext(current);
  }

  void Gather(bool flush) override {
    if (process_ == nullptr) return;
    if (flush || !looked_) {
      LookAtBuffers();
      process_->tracer.Flush(false);
    }
    dropped_ += process_->tracer.TakeDropped();
    if (!saw_gpu_work_ && process_->callback.launches() > first_launch_) saw_gpu_work_ = true;
    SamplerEvents events = sampler_->TakeEvents();
    for (auto& e : events.peaks) gathered_.peaks.push_back(std::move(e));
    for (auto& e : events.groups) gathered_.groups.push_back(std::move(e));
    for (auto& e : events.samples) gathered_.samples.push_back(std::move(e));
    for (auto& e : events.untraced) gathered_.untraced.push_back(std::move(e));
    for (auto& e : events.intervals) gathered_.intervals.push_back(e);
    for (auto& e : events.notices) gathered_.notices.push_back(std::move(e));
    for (const auto& e : process_->callback.graph_nodes().Take()) {
      if (ranges_) graph_nodes_.push_back(e);  // or their paths are not in the snapshot
    }
    GatherContinuous();
    if (running_ && unified_memory_ != nullptr) unified_memory_->Start(&gathered_.notices);
  }

  void Encode(capture::EventSink& sink) override {
    if (process_ == nullptr) return;
    WriteDevices(sink);
    for (const auto& group : gathered_.groups) sink.Add(group);
    std::vector<capture::GraphNodeEvent> early;  // their ranges are not in the file yet
    for (const auto& node : graph_nodes_) {
      if (sink.HasPath(node.path)) {
        sink.Add(node);
        sink.WriteIfLarge();
      } else {
        early.push_back(node);
      }
    }
    graph_nodes_ = std::move(early);
    process_->tracer.pool().Drain([&](uint8_t* buffer, size_t bytes) {
      decoder_->Decode(buffer, bytes, sink);
      sink.WriteIfLarge();
    });
    for (const auto& launch : gathered_.untraced) sink.Add(launch);
    for (const auto& sample : gathered_.samples) sink.Add(sample);
    for (const auto& interval : gathered_.intervals) sink.Add(interval);
    for (const auto& notice : gathered_.notices) sink.Add(notice);
    gathered_ = {};
    for (const auto& series : pm_events_.series) sink.Add(series);
    for (const auto& batch : pm_events_.batches) {
      sink.Add(batch);
      sink.WriteIfLarge();
    }
    pm_events_ = {};
    if (decoder_->saw_gpu_work()) saw_gpu_work_ = true;
  }

  void Encode(const capture::CallEvent& call, capture::EventSink& sink) override {
    if (calls_ != nullptr) calls_->Encode(call, sink);
  }

  bool Synchronize() override {
    if (process_ == nullptr) return true;
    const bool ok = sampler_->contexts().Synchronize();
    process_->tracer.Flush(false);
    return ok;
  }

  void StopCounters() override {
    if (process_ == nullptr) return;
    sampler_->Stop();
    answers_before_end_ = decoder_->probes();
    Probe();  // its record is there when the last round is over
  }

  void Stop() override {
    if (process_ == nullptr || !running_) return;
    running_ = false;
    ResolveStreamNames(false);
    process_->callback.AskTorch(nullptr);
    if (WatchesBuffers() && buffer_watch_.End(SightNow(), answers_before_end_)) TellTaken();
    if (pm_ != nullptr) pm_->Stop();
    process_->callback.Disable();
    process_->tracer.Flush(true);
    process_->tracer.Disable();
    if (unified_memory_ != nullptr) unified_memory_->Stop();
    dropped_ += process_->tracer.TakeDropped();
  }

  capture::SourceVersions versions() const override {
    capture::SourceVersions versions;
    versions.nvidia_driver = capture::NvidiaDriverVersion();
    if (process_ == nullptr) return versions;
    int driver = 0;
    if (process_->driver.driver_get_version(&driver) == CUDA_SUCCESS && driver > 0) {
      versions.cuda_driver = static_cast<uint32_t>(driver);
    }
    versions.cupti = process_->api.version;
    versions.cupti_path = process_->api.path;
    versions.cupti_device_bytes = process_->tracer.device_bytes();
    return versions;
  }

  SubsystemStatus timeline_status() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return timeline_;
  }

  SubsystemStatus counters_status() const override {
    if (sampler_ != nullptr) return sampler_->status();
    return counters_wanted_ ? counters_off_ : SubsystemStatus{};
  }

  SubsystemStatus continuous_status() const override {
    return pm_ != nullptr ? pm_->status() : SubsystemStatus{};
  }

  bool counters_complete() const override { return sampler_ == nullptr || sampler_->Complete(); }

  bool saw_gpu_work() const override { return saw_gpu_work_; }

  void AddLosses(Integrity& integrity) const override {
    if (process_ == nullptr) return;
    integrity.launches += process_->callback.launches() - first_launch_;
    integrity.dropped_by_cupti += dropped_;
    integrity.buffers_refused += process_->tracer.pool().refused() - first_refused_;
    integrity.unknown_records += decoder_->unknown_records();
    integrity.launches_missed += buffer_watch_.launches_missed();
    sampler_->AddLosses(integrity);
    if (ranges_) {
      integrity.graph_nodes_dropped +=
          process_->callback.graph_nodes().dropped() - first_node_dropped_;
    }
    if (pm_ == nullptr) return;
    integrity.pm_samples_lost += pm_->samples_lost();
    integrity.pm_restarts += pm_->restarts();
  }

 private:
  // Before CUPTI 13 threads share buffers, and a long kernel would hold a probe back.
  bool WatchesBuffers() const { return process_->api.version >= 130000; }

  BufferWatch::Sight SightNow() {
    LaunchCallback& callback = process_->callback;
    const LaunchCallback::TorchAnswers torch = callback.TakeTorchAnswers();
    BufferWatch::Sight sight;
    sight.now_ns = capture::MonotonicNs();
    sight.launches = callback.launches() - first_launch_;
    sight.buffers = process_->tracer.pool().exchanges();
    sight.answers = decoder_->probes();
    sight.torch_on = torch.on;
    sight.torch_off = torch.off;
    return sight;
  }

  void Probe() {
    decoder_->WatchProbesOf(capture::CurrentThreadId());
    int version = 0;
    process_->driver.driver_get_version(&version);
  }

  void TellTaken() {
    SetTimeline({State::kDegraded, 0, kBuffersTaken, kBuffersTakenFix});
    if (!std::exchange(told_of_taken_buffers_, true)) {
      std::fprintf(stderr, "prof: %s; %s\n", kBuffersTaken, kBuffersTakenFix);
    }
  }

  // Before the flush: what the flush before brought has been decoded since. A probe has until the
  // next look.
  void LookAtBuffers() {
    looked_ = true;
    if (!running_ || !WatchesBuffers()) return;
    LaunchCallback& callback = process_->callback;
    switch (buffer_watch_.Look(SightNow())) {
      case BufferWatch::Act::kNothing:
        return;
      case BufferWatch::Act::kProbe:
        Probe();
        return;
      case BufferWatch::Act::kTaken:
        callback.AskTorch(FindTorchProfiler());
        TellTaken();
        return;
      case BufferWatch::Act::kTakeUpAgain:
        // Not while a launch is under a counter range: its tracing may be paused on purpose.
        sampler_->Undisturbed([this] {
          std::string failed;
          process_->tracer.Enable(&failed);
        });
        if (unified_memory_ != nullptr) unified_memory_->TakeUpAgain();
        return;
      case BufferWatch::Act::kBack:
        callback.AskTorch(nullptr);
        SetTimeline({State::kDegraded, 0, kBuffersWereTaken, kBuffersTakenFix});
        return;
    }
  }

  // One at a time: the hardware samples launches first, then the whole GPU.
  void GatherContinuous() {
    if (pm_ == nullptr) return;
    const bool over = capture::MonotonicNs() - start_ns_ > kLongestSamplingBeforePmNs;
    if (running_ && (over || sampler_->Complete())) {
      sampler_->Stop();
      for (const int device : sampler_->contexts().Devices()) pm_->Start(device);
    }
    pm_events_ = pm_->TakeEvents();
  }

  // Once with the facts, and again whenever a peak is new: a later entry replaces an earlier one.
  void WriteDevices(capture::EventSink& sink) {
    bool changed = false;
    if (devices_.empty() && (saw_gpu_work_ || decoder_->saw_gpu_work())) {
      devices_ = ReadDeviceFacts(process_->api, process_->driver);
      changed = true;
    }
    for (const PeakEvent& peak : gathered_.peaks) {
      for (capture::DeviceEvent& device : devices_) {
        if (static_cast<int>(device.id) != peak.device) continue;
        const auto known = [&](const auto& entry) { return entry.first == peak.metric; };
        if (std::any_of(device.peaks.begin(), device.peaks.end(), known)) continue;
        device.peaks.emplace_back(peak.metric, peak.value);
        changed = true;
      }
    }
    if (!changed) return;
    for (const capture::DeviceEvent& device : devices_) sink.Add(device);
  }

  void SetTimeline(SubsystemStatus status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    timeline_ = std::move(status);
  }

  CuptiProcess* process_ = nullptr;  // the process's, never destroyed
  std::unique_ptr<ActivityDecoder> decoder_;
  std::unique_ptr<CallEncoder> calls_;
  std::unique_ptr<CounterSampler> sampler_;
  std::unique_ptr<PmSampler> pm_;                  // null: not asked for
  std::unique_ptr<UnifiedMemory> unified_memory_;  // null: not asked for
  BufferWatch buffer_watch_;
  bool looked_ = false;
  bool told_of_taken_buffers_ = false;
  uint64_t answers_before_end_ = 0;
  SamplerEvents gathered_;
  bool ranges_ = false;  // are recorded
  std::vector<capture::GraphNodeEvent> graph_nodes_;
  uint64_t first_node_dropped_ = 0;
  PmEvents pm_events_;
  int64_t start_ns_ = 0;
  std::vector<capture::DeviceEvent> devices_;
  SubsystemStatus counters_off_;
  bool counters_wanted_ = false;
  bool running_ = false;
  bool saw_gpu_work_ = false;
  uint64_t first_launch_ = 0;
  uint64_t first_refused_ = 0;
  uint64_t dropped_ = 0;

  mutable std::mutex mutex_;  // of timeline_
  SubsystemStatus timeline_;
};

}  // namespace
}  // namespace prof::cupti

namespace prof::capture {

std::unique_ptr<GpuSource> MakeGpuSource() { return std::make_unique<cupti::CuptiSource>(); }

}  // namespace prof::capture
