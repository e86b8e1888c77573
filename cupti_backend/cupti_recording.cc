// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/cupti_recording.h"

#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "cupti_backend/activity/graph_notice.h"
#include "cupti_backend/api/cupti_versions.h"
#include "cupti_backend/api/relaxed_capture.h"
#include "lib/capture/environment.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/windows/window_plan.h"

namespace prof::cupti {
namespace {

// PM sampling waits for the sampled launches to be done, but no longer than this: a program whose
// kernels change all the time would never get it.
constexpr int64_t kLongestSamplingBeforePmNs = 20'000'000'000;

// What PM samples of the latest bursts may leave open when counters are complete.
constexpr double kComplete = 0.02;

// How often counts of launches are written.
constexpr int64_t kCountsNs = 5'000'000'000;

// The list is empty afterwards: a round that fails later does not encode it twice.
template <typename Event>
void EncodeAll(std::vector<Event>* events, capture::EventSink& sink) {
  for (const Event& event : *events) sink.Add(event);
  events->clear();
}

template <typename Event>
void MoveAll(std::vector<Event> from, std::vector<Event>* to) {
  to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

// Their buffers and losses are not this recording's.
CuptiRecording::Before CuptiRecording::ForgetEarlier(CuptiProcess* process) {
  const RelaxedCapture relaxed(process->driver);
  ResolveStreamNames(true);
  const Before before = {process->callback.launches(), process->callback.launches_failed(),
                         process->tracer.pool().refused(), process->callback.failed()};
  process->tracer.pool().Drain([](uint8_t*, size_t) {});
  process->tracer.TakeDropped();
  return before;
}

CuptiRecording::CuptiRecording(CuptiProcess* process, const SessionOptions& wanted)
    : CuptiRecording(process, WhatIsPossible(process->api, wanted)) {}

CuptiRecording::CuptiRecording(CuptiProcess* process, PossibleOptions possible)
    : process_(process),
      possible_(std::move(possible)),
      before_(ForgetEarlier(process)),
      sampler_(&process->api, &process->driver, possible_.options),
      decoder_(&process->api, &sampler_.records(),
               possible_.options.code ? &process->callback.code() : nullptr),
      calls_(&process->api),
      graph_nodes_(&process->callback.graph_nodes(), possible_.options.ranges),
      devices_(&process->api, &process->driver, capture::CeilingsFromEnvironment()),
      buffers_(process, &sampler_, &decoder_, &timeline_, before_.launches),
      subscription_(process, &timeline_) {
  const SessionOptions& options = possible_.options;
  decoder_.SetStart(capture::RealtimeNs());
  MoveAll(std::move(possible_.notices), &notices_);
  if (WantsTriage(options)) {
    triage_.emplace(TriageSampler::Parts{&process->api, &process->driver, &process->triage_hosts,
                                         &sampler_.records().triage, &sampler_.turns(),
                                         &sampler_.policy(), &process->callback.launches()},
                    options);
    // In the seconds that are kept a kernel is met about three times as often as it needs.
    constexpr int64_t kThirdNs = 1'000'000'000 / 3;
    sampler_.records().triage.ForgetHalfIn(options.keep_last_seconds * kThirdNs);
  }
  if (options.continuous) {
    pm_.emplace(&process->api, &process->driver, &process->pm_hosts, options);
  }
  if (options.unified_memory) unified_memory_.emplace(&process->api, &process->driver);
  if (options.gpu_state) gpu_state_.emplace(&process->api, &process->driver);
  if (capture::RecordsShare(options)) counts_ = std::make_shared<LaunchCounts>(&process->api);
}

void CuptiRecording::Start(const SessionOptions& options, bool injected) {
  const RelaxedCapture relaxed(process_->driver);
  CUcontext current = nullptr;  // stays null before the program's cuInit
  const bool has_context =
      process_->driver.ctx_get_current(&current) == CUDA_SUCCESS && current != nullptr;
  const Graphs graphs = process_->tracer.DecideGraphs(options.graphs, injected && !has_context);
  if (auto notice = GraphsNotice(options.graphs, graphs)) notices_.push_back(*notice);
  injected_ = injected;
  start_ns_ = capture::MonotonicNs();
  timeline_.Set({State::kWorking, 0, "", ""});
  ReportEnabled(process_->tracer.Enable());
  if (unified_memory_) unified_memory_->Start(&notices_);
  if (gpu_state_) gpu_state_->Start(&notices_);
  process_->callback.WatchCode(possible_.options.code);
  const CUptiResult called =
      process_->callback.Enable(&sampler_.launches(), triage_ ? &triage_->sampler() : nullptr);
  if (timeline_.Get().state == State::kWorking) ReportEnabled({called, "calls"});
  // From the first launch on: the collector looks later.
  if (counts_) CountLaunches(capture::WindowPlan(options, start_ns_).CountsAt(start_ns_));
  running_ = true;
  if (triage_) triage_->sampler().Start();
  if (has_context) sampler_.launches().OnContext(current);
  uint32_t device = 0;
  if (has_context && triage_ && process_->api.get_device_id(current, &device) == CUPTI_SUCCESS) {
    triage_->sampler().PrepareLater(static_cast<int>(device));
  }
}

void CuptiRecording::ReportEnabled(const ActivityTracer::Enabled& enabled) {
  if (enabled.result == CUPTI_SUCCESS) return;
  ReportTimeline(
      {State::kDegraded, static_cast<int>(enabled.result),
       "CUPTI does not record " + enabled.missing + ": " + ErrorText(process_->api, enabled.result),
       "check that nvidia-smi works here"});
}

capture::GpuWait::Work CuptiRecording::WaitForGpu() {
  capture::GpuWait::Work work = sampler_.WaitForGpu();
  gpu_done_->store(false);
  return [work = std::move(work), done = gpu_done_](const std::atomic<bool>& given_up) {
    const bool in_time = work(given_up);
    done->store(in_time);
    return in_time;
  };
}

// After the last record. A launch that is sampled may have none, nor has one that failed, that was
// captured, that the GPU has not ended, or that a pause came too early for.
void CuptiRecording::ReportMissingRecords() {
  const uint64_t launches = process_->callback.launches() - before_.launches;
  const uint64_t may_lack =
      sampler_.launches_untraced() + process_->callback.launches_failed() - before_.launches_failed;
  if (launches <= may_lack || decoder_.saw_gpu_work() || process_->callback.saw_graphs() ||
      was_paused_ || !*gpu_done_ || timeline_.Get().state != State::kWorking) {
    return;
  }
  ReportTimeline(
      {State::kDegraded, 0,
       "CUPTI gave no record of the launches of this program (" + std::to_string(launches) + ")",
       "try another CUPTI: PROF_CUPTI names its file"});
}

// On stderr for the user of a program that does not ask for the status, once.
void CuptiRecording::ReportTimeline(const SubsystemStatus& problem) {
  timeline_.Set(problem);
  if (!injected_ || std::exchange(reported_, true)) return;
  capture::Complain("prof: %s; %s\n", problem.what.c_str(), problem.fix.c_str());
}

bool CuptiRecording::Pause() {
  const RelaxedCapture relaxed(process_->driver);
  if (subscription_.lost() || !sampler_.Pause()) return false;
  paused_ = was_paused_ = true;
  process_->callback.Pause();
  if (triage_) triage_->sampler().SetPaused(true);
  pm_pauses_.Begin(capture::RealtimeNs());
  process_->tracer.Flush(false);
  process_->tracer.Disable();
  decoder_.SetStart(std::numeric_limits<int64_t>::max());  // whole graphs are recorded on
  if (unified_memory_) unified_memory_->Pause();
  if (gpu_state_) gpu_state_->Pause();
  return true;
}

void CuptiRecording::Resume() {
  const RelaxedCapture relaxed(process_->driver);
  decoder_.SetStart(capture::RealtimeNs());
  if (!subscription_.lost()) Record();
  pm_pauses_.End(capture::RealtimeNs());
  if (triage_) triage_->sampler().SetPaused(false);
  process_->callback.Resume();
  sampler_.Resume();
  paused_ = false;
}

void CuptiRecording::CountLaunches(bool on) {
  if (!counts_ || on == counting_ns_.has_value()) return;
  process_->callback.CountLaunches(on ? counts_.get() : nullptr);
  NoteCounting();
  counting_ns_ = on ? std::optional(capture::MonotonicNs()) : std::nullopt;
}

// The time in which launches were counted, since the last call.
void CuptiRecording::NoteCounting() {
  if (!counting_ns_) return;
  const int64_t now_ns = capture::MonotonicNs();
  launch_counts_.emplace_back().counted_ns =
      static_cast<uint64_t>(now_ns - std::exchange(*counting_ns_, now_ns));
}

// Not in each round: a file of a day would hold little else. With seconds that are kept, counts
// belong to their block.
void CuptiRecording::GatherCounts(bool flush) {
  if (!counts_) return;
  const int64_t now_ns = capture::MonotonicNs();
  const bool kept = possible_.options.keep_last_seconds > 0;
  if (running_ && !(flush && (kept || now_ns - counts_taken_ns_ >= kCountsNs))) return;
  counts_taken_ns_ = now_ns;
  NoteCounting();
  MoveAll(counts_->Take(), &launch_counts_);
}

void CuptiRecording::Record() {
  ReportEnabled(process_->tracer.Enable());
  if (unified_memory_) unified_memory_->EnableAgain();
  if (gpu_state_) gpu_state_->EnableAgain();
}

void CuptiRecording::Gather(bool flush) {
  const RelaxedCapture relaxed(process_->driver);
  if (flush || !flushed_) {
    flushed_ = true;
    if (running_) KeepSubscription();
    if (!subscription_.lost()) {
      if (running_ && !paused_) buffers_.Check([this] { RegisterBuffersAgain(); });
      if (MayHaveRecords()) process_->tracer.Flush(false);
      if (buffers_.awaits_answer()) process_->tracer.Flush(false);
    }
  }
  if (!subscription_.lost()) dropped_ += process_->tracer.TakeDropped();
  if (!saw_gpu_work_ && process_->callback.launches() > before_.launches) saw_gpu_work_ = true;
  sampled_.Append(sampler_.TakeEvents());
  graph_nodes_.Gather();
  GatherCounts(flush);
  GatherTriage();
  GatherContinuous();
  if (running_ && !paused_ && unified_memory_) unified_memory_->Start(&notices_);
  // The program has initialized CUDA when it launches.
  if (running_ && !paused_ && saw_gpu_work_ && gpu_state_) {
    gpu_state_->Gather(&gpu_readings_, &notices_);
  }
}

bool CuptiRecording::MayHaveRecords() {
  const capture::BufferPool& pool = process_->tracer.pool();
  const uint64_t signs = process_->callback.launches() + calls_encoded_ + pool.exchanges();
  return flushes_.Wants(signs, pool.any_lent(), capture::MonotonicNs());
}

void CuptiRecording::Flush() {
  const RelaxedCapture relaxed(process_->driver);
  if (!subscription_.lost()) process_->tracer.Flush(false);
}

void CuptiRecording::KeepSubscription() {
  const SubscriptionGuard::Finding finding = subscription_.Check();
  if (finding == SubscriptionGuard::Finding::kBack) OnSubscribedAgain();
  if (finding != SubscriptionGuard::Finding::kLost) return;
  const Problem why = SubscriptionGuard::Reason();
  sampler_.Abandon(why);
  if (triage_) triage_->sampler().Abandon(why);
  if (pm_) pm_->Abandon(why);
}

// The rings and the pool hold nothing of before: the loss was noticed rounds ago.
void CuptiRecording::OnSubscribedAgain() {
  constexpr uint32_t kIdsOfSubscription = 1U << 28;
  const auto first = static_cast<uint32_t>(subscription_.times_lost()) * kIdsOfSubscription;
  decoder_.NumberFrom(first);
  calls_.NumberFrom(first);
  if (!paused_) Record();
}

// Not while a launch is under a counter range: its tracing may be paused on purpose.
void CuptiRecording::RegisterBuffersAgain() {
  sampler_.Undisturbed([this] { process_->tracer.Enable(); });
  if (unified_memory_) unified_memory_->EnableAgain();
  if (gpu_state_) gpu_state_->EnableAgain();
}

void CuptiRecording::GatherTriage() {
  if (!triage_) return;
  PmEvents events = triage_->Gather();
  for (const capture::ProfilerIntervalEvent& interval : events.intervals) {
    sampler_.budget().Spend(interval.end_ns - interval.begin_ns);  // the program has waited for it
  }
  AddPm(std::move(events));
  for (const TriageCoverage::Decided& kernel : triage_->TakeDecided()) {
    sampler_.policy().SetUse(kernel.key, kernel.use);
  }
  for (const KernelKey kernel : triage_->TakeMet()) sampler_.policy().CountBurst(kernel);
}

// One at a time: the hardware samples launches first, then the whole GPU.
void CuptiRecording::GatherContinuous() {
  if (!pm_) return;
  const bool over = capture::MonotonicNs() - start_ns_ > kLongestSamplingBeforePmNs;
  if (running_ && !paused_ && (over || sampler_.Complete())) {
    sampler_.Stop();
    for (const int device : sampler_.contexts().Devices()) pm_->Start(device);
  }
  AddPm(pm_->TakeEvents());
}

void CuptiRecording::AddPm(PmEvents events) {
  for (capture::PmBatchEvent& batch : events.batches) pm_pauses_.TakeOut(&batch);
  MoveAll(std::move(events.series), &pm_events_.series);
  MoveAll(std::move(events.batches), &pm_events_.batches);
  MoveAll(std::move(events.intervals), &pm_events_.intervals);
}

void CuptiRecording::Encode(capture::EventSink& sink) {
  devices_.Write(sampled_.peaks, saw_gpu_work_ || decoder_.saw_gpu_work(), sink);
  sampled_.peaks.clear();
  EncodeAll(&sampled_.groups, sink);
  graph_nodes_.Write(sink);
  process_->tracer.pool().Drain([&](uint8_t* buffer, size_t bytes) {
    decoder_.Decode(buffer, bytes, sink);
    sink.WriteIfLarge();
  });
  EncodeAll(&sampled_.untraced, sink);
  EncodeAll(&sampled_.samples, sink);
  EncodeAll(&launch_counts_, sink);
  EncodeAll(&sampled_.intervals, sink);
  EncodeAll(&gpu_readings_, sink);
  EncodeAll(&notices_, sink);
  EncodeAll(&sampled_.notices, sink);
  EncodeAll(&pm_events_.series, sink);
  EncodeAll(&pm_events_.intervals, sink);
  for (const capture::PmBatchEvent& batch : pm_events_.batches) {
    sink.Add(batch);
    sink.WriteIfLarge();
  }
  pm_events_.batches.clear();
  if (decoder_.saw_gpu_work()) saw_gpu_work_ = true;
  if (stopped_) ReportMissingRecords();
}

void CuptiRecording::StopCounters() {
  const RelaxedCapture relaxed(process_->driver);
  sampler_.Stop();
  if (!paused_) buffers_.ProbeBeforeEnd();  // nothing answers while it is paused
}

void CuptiRecording::Stop() {
  if (!running_) return;
  running_ = false;
  const RelaxedCapture relaxed(process_->driver);
  ResolveStreamNames(false);
  if (paused_) {
    process_->callback.CheckTorch(nullptr);
  } else if (!subscription_.lost()) {
    buffers_.End();
  }
  if (pm_) pm_->Stop();
  CountLaunches(false);
  process_->callback.Disable();
  // A thread that does not come back is still in it: it is left behind.
  if (counts_ && process_->callback.inside()) (void)new std::shared_ptr<LaunchCounts>(counts_);
  if (triage_) {
    triage_->sampler().Stop();
    MoveAll(triage_->sampler().Notices(), &notices_);
  }
  if (subscription_.lost()) return;
  process_->tracer.Flush(true);
  process_->tracer.Disable();
  if (unified_memory_) unified_memory_->Stop();
  if (gpu_state_) gpu_state_->Stop();
  dropped_ += process_->tracer.TakeDropped();
  stopped_ = true;
  ReportFailedCallbacks();
  if (possible_.options.leave && !capture::Exiting()) DecideToLeave();
}

void CuptiRecording::DecideToLeave() {
  std::string why;
  if (process_->callback.saw_graphs()) {
    why = "the program uses CUDA graphs, and programs have crashed in them when CUPTI was left";
  } else if (process_->api.version < kCupti12_6) {
    why = "CUPTI before 12.6 crashed in programs that it was left in";
  } else if (buffers_.launches_missed() > 0) {
    why = "another profiler in the process uses CUPTI";
  }
  leaves_ = why.empty();
  if (leaves_) return;
  notices_.push_back({capture::Severity::kInfo, capture::Subsystem::kTimeline, 0,
                      "prof stays in the program after the recording, where it makes launches "
                      "slower: " +
                          why,
                      ""});
}

void CuptiRecording::ReportFailedCallbacks() {
  const uint64_t failed = process_->callback.failed() - before_.callbacks_failed;
  if (failed == 0) return;
  notices_.push_back({capture::Severity::kWarning, capture::Subsystem::kTimeline, 0,
                      std::to_string(failed) +
                          " callbacks of CUPTI or NVTX ran out of memory: what they would have "
                          "recorded is missing",
                      "give the process more memory"});
}

capture::SourceVersions CuptiRecording::versions() const {
  capture::SourceVersions versions;
  int driver = 0;
  if (process_->driver.driver_get_version(&driver) == CUDA_SUCCESS && driver > 0) {
    versions.cuda_driver = static_cast<uint32_t>(driver);
  }
  versions.cupti = process_->api.version;
  versions.cupti_path = process_->api.path;
  versions.cupti_device_bytes = process_->tracer.settings().device_bytes();
  return versions;
}

SubsystemStatus CuptiRecording::continuous_status() const {
  if (triage_) return triage_->sampler().status();
  return pm_ ? pm_->status() : possible_.continuous;
}

SubsystemStatus CuptiRecording::counters_status() const {
  const bool missing = possible_.counters.state == State::kUnavailable;
  return missing ? possible_.counters : sampler_.status();
}

bool CuptiRecording::counters_complete() const {
  if (triage_ && triage_->lacking() > kComplete) return false;
  return sampler_.AllSampled();
}

// Where triage is refused for good it brings nothing.
bool CuptiRecording::counters_pending() const {
  if (!sampler_.Complete()) return true;
  if (!triage_ || triage_->lacking() <= kComplete || !running_) return false;
  const SubsystemStatus status = triage_->sampler().status();
  return status.state != State::kUnavailable || status.code == CUPTI_ERROR_HARDWARE_BUSY;
}

void CuptiRecording::AddLosses(Integrity& integrity) const {
  integrity.launches += process_->callback.launches() - before_.launches;
  integrity.dropped_by_cupti += dropped_;
  integrity.buffers_refused += process_->tracer.pool().refused() - before_.buffers_refused;
  integrity.unknown_records += decoder_.unknown_records();
  integrity.launches_missed += buffers_.launches_missed();
  integrity.subscriptions_lost += subscription_.times_lost();
  sampler_.AddLosses(integrity);
  integrity.graph_nodes_dropped += graph_nodes_.dropped();
  if (triage_) integrity.pm_samples_lost += triage_->sampler().samples_lost();
  if (!pm_) return;
  integrity.pm_samples_lost += pm_->samples_lost();
  integrity.pm_restarts += pm_->restarts();
}

}  // namespace prof::cupti
