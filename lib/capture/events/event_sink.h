// SPDX-License-Identifier: Apache-2.0
//
// The event sink is all that a GPU source knows of the snapshot: it takes the source's events. The
// encoder implements it.
#ifndef PROF_LIB_CAPTURE_EVENTS_EVENT_SINK_H_
#define PROF_LIB_CAPTURE_EVENTS_EVENT_SINK_H_

#include <cstdint>
#include <string_view>

#include "lib/capture/events/events.h"

namespace prof::capture {

// The collector thread alone calls it.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // Ids for what comes again and again, so that it is looked up once. They hold as long as the
  // sink. 0: the table of names is full.
  virtual uint32_t NameId(std::string_view name) = 0;
  virtual LaunchId IdOf(const KernelEvent& launch) = 0;

  virtual void Add(const DeviceEvent& event) = 0;
  virtual void Add(const StreamEvent& event) = 0;

  virtual void Add(const KernelEvent& event) = 0;
  virtual void Add(const KnownKernelEvent& event) = 0;
  virtual void Add(const UntracedKernelEvent& event) = 0;
  virtual void Add(const LaunchCountEvent& event) = 0;
  virtual void Add(const CopyEvent& event) = 0;
  virtual void Add(const MemsetEvent& event) = 0;
  virtual void Add(const GraphRunEvent& event) = 0;
  virtual void Add(const SyncEvent& event) = 0;
  virtual void Add(const ApiEvent& event) = 0;
  virtual void Add(const OverheadEvent& event) = 0;

  virtual void Add(const AllocationEvent& event) = 0;
  virtual void Add(const PoolEvent& event) = 0;
  virtual void Add(const UnifiedMemoryEvent& event) = 0;
  virtual void Add(const GpuStateEvent& event) = 0;

  // The path has to be known: HasPath.
  virtual void Add(const GraphNodeEvent& event) = 0;
  [[nodiscard]] virtual bool HasPath(uint32_t path) const = 0;

  // A group or a series comes before the samples that name it.
  virtual void Add(const PassGroupEvent& event) = 0;
  virtual void Add(const CounterSampleEvent& event) = 0;
  virtual void Add(const PmSeriesEvent& event) = 0;
  virtual void Add(const PmBatchEvent& event) = 0;

  virtual void Add(const ProfilerIntervalEvent& event) = 0;
  virtual void Add(const NoticeEvent& event) = 0;

  // A block may end here. A source calls it after each buffer or batch, so that blocks stay small.
  virtual void WriteIfLarge() = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_EVENTS_EVENT_SINK_H_
