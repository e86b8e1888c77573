// SPDX-License-Identifier: Apache-2.0
//
// The seam between a capture and the GPU: CUPTI behind it (cupti_backend/), or a fake in tests.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_GPU_SOURCE_H_
#define PROF_LIB_CAPTURE_COLLECTOR_GPU_SOURCE_H_

#include <memory>

#include "lib/capture/events/header_event.h"
#include "prof/session.h"

namespace prof::capture {

class EventSink;
struct CallEvent;

class GpuSource {
 public:
  virtual ~GpuSource() = default;

  // The thread that starts the capture. Never blocks on the GPU. `injected`: by CUDA's injection or
  // a preload, so that the program has not called CUDA yet.
  virtual void Start(const SessionOptions& options, bool injected) = 0;

  // The collector thread, in this order, again and again. Gather takes what is ready; ranges are
  // drained between the two, so that every path that a gathered event names is known; Encode
  // writes what was gathered.
  virtual void Gather(bool flush) = 0;
  virtual void Encode(EventSink& sink) = 0;

  // The collector thread, between Gather and Encode: a call that the source's callbacks have
  // written down with RecordCall.
  virtual void Encode(const CallEvent& call, EventSink& sink) = 0;

  // The collector thread: wait until the GPU has done what was submitted. False on a deadline.
  virtual bool Synchronize() = 0;

  // The collector thread, before the last rounds: no more samples are taken, those taken are read.
  virtual void StopCounters() = 0;
  // The collector thread, after the last Encode: nothing of us runs any more.
  virtual void Stop() = 0;

  virtual SourceVersions versions() const = 0;
  virtual SubsystemStatus timeline_status() const = 0;
  virtual SubsystemStatus counters_status() const = 0;
  virtual SubsystemStatus continuous_status() const { return {}; }
  virtual bool counters_complete() const = 0;
  // The GPU did something: a capture that saw nothing writes no file.
  virtual bool saw_gpu_work() const = 0;
  // Adds what the source knows to be lost.
  virtual void AddLosses(Integrity& integrity) const = 0;
};

// CUPTI, loaded at run time. Never null.
std::unique_ptr<GpuSource> MakeGpuSource();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_GPU_SOURCE_H_
