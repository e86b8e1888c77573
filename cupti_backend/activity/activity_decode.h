// SPDX-License-Identifier: Apache-2.0
//
// The activity decoder turns CUPTI's activity buffers into events. It runs on the collector thread.
// It needs no GPU, so tests and benchmarks feed it recorded or made-up buffers.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_ACTIVITY_DECODE_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_ACTIVITY_DECODE_H_

#include <cstddef>
#include <cstdint>

#include "cupti_backend/activity/launch_id_cache.h"
#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/code/code_watch.h"
#include "cupti_backend/schedule/record_watch.h"
#include "lib/capture/events/event_sink.h"

namespace prof::cupti {

class ActivityDecoder {
 public:
  // `watch` takes all GPU work; `code` knows what kernels do. Both may be nullptr.
  explicit ActivityDecoder(const CuptiApi* api, RecordWatch* watch = nullptr,
                           const CodeWatch* code = nullptr)
      : api_(api), watch_(watch), code_(code) {}

  // When the recording began. CUPTI also records launches of whole graphs between recordings.
  void SetStart(int64_t realtime_ns) { start_ns_ = realtime_ns; }

  // Adds `first` to the correlation ids from now on: those of a new subscription begin again at 1.
  void NumberFrom(uint32_t first) { first_correlation_ = first; }

  // Reads every record of a buffer into `sink`.
  void Decode(uint8_t* buffer, size_t bytes, capture::EventSink& sink);

  uint64_t unknown_records() const { return unknown_records_; }
  // Records of ActivityTracer::kProbeCall made by `thread`, from now on and so far.
  void WatchProbesOf(uint32_t thread) { probing_thread_ = thread; }
  uint64_t probes() const { return probes_; }
  // Kernels that the host launched by themselves, outside of graphs.
  uint64_t launches() const { return kernels_ - nodes_; }
  // A kernel, copy or memset was seen.
  bool saw_gpu_work() const { return saw_other_work_ || kernels_ > 0; }

 private:
  template <typename Record>
  void Watch(const Record& r) {
    if (watch_ == nullptr) return;
    watch_->Add(r.deviceId, r.contextId, r.streamId, r.correlationId, static_cast<int64_t>(r.start),
                static_cast<int64_t>(r.end));
  }
  void Renumber(CUpti_Activity* record) const;
  void DecodeKernel(const CUpti_ActivityKernel10& record, capture::EventSink& sink);
  void Triage(const CUpti_ActivityKernel10& record);
  LaunchIdCache::Id LookUp(const CUpti_ActivityKernel10& record, capture::EventSink& sink);
  void DecodeAllocation(const CUpti_ActivityMemory4& record, capture::EventSink& sink);

  const CuptiApi* api_;
  LaunchIdCache launches_;
  RecordWatch* watch_;
  const CodeWatch* code_;
  int64_t start_ns_ = 0;
  uint64_t unknown_records_ = 0;
  uint32_t probing_thread_ = 0;
  uint32_t first_correlation_ = 0;
  uint64_t probes_ = 0;
  uint64_t kernels_ = 0, nodes_ = 0;  // records; nodes: of the kernels, within graphs
  bool saw_other_work_ = false;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_ACTIVITY_DECODE_H_
