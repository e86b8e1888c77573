// SPDX-License-Identifier: Apache-2.0
//
// The activity tracer turns CUPTI's activity records on and off, and gives CUPTI their buffers.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_ACTIVITY_TRACER_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_ACTIVITY_TRACER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cupti_backend/activity/buffer_size.h"
#include "cupti_backend/activity/cupti_settings.h"
#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/collector/buffer_pool.h"
#include "prof/session.h"

namespace prof::cupti {

// One for the life of the process: CUPTI may hold a buffer long after a recording has ended, so
// the pool is never unmapped. CUPTI's buffer callbacks carry no user data; they find the tracer
// through one pointer.
class ActivityTracer {
 public:
  // `cap_bytes` of the first recording of a process stays in force.
  ActivityTracer(const CuptiApi* api, size_t cap_bytes)
      : api_(api), settings_(api), pool_(cap_bytes) {}

  CuptiSettings& settings() { return settings_; }
  const CuptiSettings& settings() const { return settings_; }

  // Decides how graph launches are recorded, once for the life of the process: CUPTI crashed inside
  // cudaGraphLaunch when it had to record whole graphs while a graph existed that had been
  // instantiated without that. So the first recording decides, before its Enable, and chooses whole
  // graphs only when `none_yet`: the program cannot have made one. Returns the decision.
  Graphs DecideGraphs(Graphs wanted, bool none_yet);
  Graphs graphs() const { return graphs_.value_or(Graphs::kNodes); }

  // The first failure, and what CUPTI does not record because of it.
  struct Enabled {
    CUptiResult result = CUPTI_SUCCESS;
    std::string missing;  // "peer copies"
  };
  // Registers the buffers and enables the kinds. Also called when another profiler has put its own
  // buffers in their place.
  Enabled Enable();
  // Whole graphs stay on (DecideGraphs): their buffers wait for the next recording, or are refused.
  void Disable();

  // CUPTI was ended by somebody else: nothing is enabled any more, and graphs are recorded by node.
  void OnLost();

  // CUPTI hands over its complete records; `forced`: the incomplete ones too. Blocks while CUPTI
  // does.
  void Flush(bool forced);

  // The number of records that CUPTI had to drop since the last call.
  uint64_t TakeDropped();

  // Has CUPTI record the call that `probe` makes, kProbeCall, and no other one: for BufferWatch.
  // False: CUPTI does not, and the call was not made.
  bool RecordProbe(const std::function<void()>& probe);
  static constexpr CUpti_CallbackId kProbeCall = CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion;

  capture::BufferPool& pool() { return pool_; }

 private:
  void TakeSpare(uint8_t** buffer, size_t* size);
  static void CUPTIAPI OnBufferRequested(uint8_t** buffer, size_t* size, size_t* max_records);
  static void CUPTIAPI OnBufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer,
                                         size_t size, size_t valid_size);

  const CuptiApi* const api_;
  CuptiSettings settings_;
  capture::BufferPool pool_;
  BufferSize buffer_size_;
  // For what the pool has no room for, in a CUPTI that crashes when it gets no buffer
  // (before 12.9).
  std::optional<capture::BufferPool> spare_;
  bool enabled_ = false;
  std::optional<Graphs> graphs_;
  bool graph_trace_requested_ = false;  // it is requested once in a process
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_ACTIVITY_TRACER_H_
