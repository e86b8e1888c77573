// SPDX-License-Identifier: Apache-2.0
//
// The GPU source is the seam between a capture and the GPU. cupti_backend/ implements it; tests
// have a fake.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_GPU_SOURCE_H_
#define PROF_LIB_CAPTURE_COLLECTOR_GPU_SOURCE_H_

#include <memory>
#include <optional>

#include "lib/capture/collector/gpu_wait.h"
#include "lib/capture/events/header_event.h"
#include "prof/session.h"

namespace prof::capture {

class EventSink;
struct CallEvent;

class GpuSource {
 public:
  virtual ~GpuSource() = default;

  // The thread that starts the capture. Never waits for the GPU. `injected`: CUDA's injection or a
  // preload started the capture, so the program has not called CUDA yet.
  virtual void Start(const SessionOptions& options, bool injected) = 0;

  // The collector thread calls Gather, then Encode, in each round. Gather takes what is ready.
  // Ranges are drained between the two, so that every path of a gathered event is known. Encode
  // hands what was gathered to the sink.
  virtual void Gather(bool flush) = 0;
  virtual void Encode(EventSink& sink) = 0;

  // The collector thread, between Gather and Encode: a call that the source's callbacks have
  // recorded with RecordCall.
  virtual void Encode(const CallEvent& call, EventSink& sink) = 0;

  // The collector thread: what waits until the GPU has done the work submitted so far; false: a
  // context failed. Any thread may run it, also after the source is gone. Empty: there is nothing
  // to wait for, because nothing is recorded.
  virtual GpuWait::Work WaitForGpu() = 0;
  // The collector thread, after such a wait: takes the records of that work.
  virtual void Flush() = 0;

  // The collector thread, between Encode and Gather: records nothing until Resume. False: a launch
  // is under way and does not return, and all goes on as before.
  virtual bool Pause() = 0;
  virtual void Resume() = 0;

  // The collector thread, before Gather: whether launches are counted from now on, also while it is
  // paused. For recordings that trace a part of the time.
  virtual void CountLaunches(bool on) { (void)on; }

  // The collector thread, before the last rounds: takes no more samples, and reads those taken.
  virtual void StopCounters() = 0;
  // The collector thread: ends the callbacks and all work of the source. Gather and Encode are
  // called once more after it, for what came until then.
  virtual void Stop() = 0;
  // The collector thread, last of all: what the source still holds in the program may go.
  virtual void Leave() {}

  virtual SourceVersions versions() const = 0;
  virtual SubsystemStatus timeline_status() const = 0;
  virtual SubsystemStatus counters_status() const = 0;
  virtual SubsystemStatus continuous_status() const { return {}; }
  // Every signature that was seen has its samples.
  virtual bool counters_complete() const = 0;
  // More samples can come.
  virtual bool counters_pending() const = 0;
  // Where what is open decides what is read: the share of the GPU time so far about which nothing
  // is open, 0..1.
  virtual std::optional<double> decided_share() const { return std::nullopt; }
  // The GPU did something: a capture without GPU work may write no file.
  virtual bool saw_gpu_work() const = 0;
  // Adds the losses that the source knows.
  virtual void AddLosses(Integrity& integrity) const = 0;
};

// Never null. The program links one definition: cupti_backend/cupti_source.cc, or that of a test.
std::unique_ptr<GpuSource> MakeGpuSource();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_GPU_SOURCE_H_
