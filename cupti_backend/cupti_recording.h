// SPDX-License-Identifier: Apache-2.0
//
// A CUPTI recording puts the parts of one recording together: activity records, API calls, sampled
// counters and PM samples.
#ifndef PROF_CUPTI_BACKEND_CUPTI_RECORDING_H_
#define PROF_CUPTI_BACKEND_CUPTI_RECORDING_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cupti_backend/activity/activity_decode.h"
#include "cupti_backend/activity/flush_watch.h"
#include "cupti_backend/activity/gpu_state.h"
#include "cupti_backend/activity/unified_memory.h"
#include "cupti_backend/buffer_guard.h"
#include "cupti_backend/calls/call_encoder.h"
#include "cupti_backend/calls/graph_node_writer.h"
#include "cupti_backend/cupti_process.h"
#include "cupti_backend/device_writer.h"
#include "cupti_backend/launch_counts.h"
#include "cupti_backend/pm/pm_pauses.h"
#include "cupti_backend/pm/pm_sampler.h"
#include "cupti_backend/possible_options.h"
#include "cupti_backend/sampling/counter_sampler.h"
#include "cupti_backend/subscription_guard.h"
#include "cupti_backend/timeline_status.h"
#include "cupti_backend/triage.h"
#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/events/event_sink.h"

namespace prof::cupti {

// The functions, their threads and their order are those of capture::GpuSource.
class CuptiRecording {
 public:
  // `process` outlives this. The thread that starts the capture. What the loaded CUPTI has no API
  // for is left out, and said in a status or a notice.
  CuptiRecording(CuptiProcess* process, const SessionOptions& wanted);
  void Start(const SessionOptions& options, bool injected);

  void Gather(bool flush);
  void Encode(capture::EventSink& sink);
  void Encode(const capture::CallEvent& call, capture::EventSink& sink) {
    ++calls_encoded_;
    calls_.Encode(call, sink);
  }
  capture::GpuWait::Work WaitForGpu();
  void Flush();
  bool Pause();
  void Resume();
  void CountLaunches(bool on);
  void StopCounters();
  void Stop();
  // After the last Encode.
  void Leave() {
    if (leaves_) process_->callback.LeaveAtNextWait();
  }

  capture::SourceVersions versions() const;
  SubsystemStatus timeline_status() const { return timeline_.Get(); }
  SubsystemStatus counters_status() const;
  SubsystemStatus continuous_status() const;
  bool counters_complete() const;
  bool counters_pending() const;
  std::optional<double> decided_share() const { return sampler_.decided_share(); }
  bool saw_gpu_work() const { return saw_gpu_work_; }
  void AddLosses(Integrity& integrity) const;

 private:
  // What earlier recordings of this process have counted.
  struct Before {
    uint64_t launches = 0, launches_failed = 0, buffers_refused = 0, callbacks_failed = 0;
  };
  CuptiRecording(CuptiProcess* process, PossibleOptions possible);
  static Before ForgetEarlier(CuptiProcess* process);
  void ReportEnabled(const ActivityTracer::Enabled& enabled);
  void ReportMissingRecords();
  void ReportTimeline(const SubsystemStatus& problem);
  void RegisterBuffersAgain();
  void AddPm(PmEvents events);
  void ReportFailedCallbacks();
  void DecideToLeave();
  void Record();
  void KeepSubscription();
  void OnSubscribedAgain();
  void GatherTriage();
  void GatherCounts(bool flush);
  void NoteCounting();
  void GatherContinuous();
  [[nodiscard]] bool MayHaveRecords();

  CuptiProcess* const process_;
  PossibleOptions possible_;
  const Before before_;
  CounterSampler sampler_;
  ActivityDecoder decoder_;
  CallEncoder calls_;
  std::optional<Triage> triage_;                 // none: not asked for
  std::optional<PmSampler> pm_;                  // none: not asked for
  std::optional<UnifiedMemory> unified_memory_;  // none: not asked for
  std::optional<GpuState> gpu_state_;            // none: not asked for
  std::shared_ptr<LaunchCounts> counts_;         // null: not asked for
  GraphNodeWriter graph_nodes_;
  DeviceWriter devices_;
  TimelineStatus timeline_;
  BufferGuard buffers_;
  SubscriptionGuard subscription_;

  // What was gathered, and not encoded yet.
  SamplerEvents sampled_;
  PmEvents pm_events_;
  std::vector<capture::LaunchCountEvent> launch_counts_;
  std::optional<int64_t> counting_ns_;  // since when, or since the last look; nullopt: it does not
  int64_t counts_taken_ns_ = 0;
  PmPauses pm_pauses_;  // no sample of these times is kept
  std::vector<capture::GpuStateEvent> gpu_readings_;
  std::vector<capture::NoticeEvent> notices_;

  int64_t start_ns_ = 0;
  bool injected_ = false;
  bool reported_ = false;  // why the timeline is not whole, on stderr
  bool running_ = false;
  bool stopped_ = false;  // all records have come
  bool leaves_ = false;
  bool paused_ = false;
  bool was_paused_ = false;
  // The GPU has done all of its work; shared with the thread that waits for it.
  std::shared_ptr<std::atomic<bool>> gpu_done_ = std::make_shared<std::atomic<bool>>(true);
  bool flushed_ = false;
  FlushWatch flushes_;
  uint64_t calls_encoded_ = 0;
  bool saw_gpu_work_ = false;
  uint64_t dropped_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CUPTI_RECORDING_H_
