// SPDX-License-Identifier: Apache-2.0
//
// A forwarding sink hands all events on to another sink. Sinks that look at some events, or keep
// some back, derive from it.
#ifndef PROF_LIB_CAPTURE_WINDOWS_FORWARDING_SINK_H_
#define PROF_LIB_CAPTURE_WINDOWS_FORWARDING_SINK_H_

#include "lib/capture/events/event_sink.h"

namespace prof::capture {

class ForwardingSink : public EventSink {
 public:
  // `next` outlives this.
  explicit ForwardingSink(EventSink* next) : next_(*next) {}

  uint32_t NameId(std::string_view name) override { return next_.NameId(name); }
  LaunchId IdOf(const KernelEvent& launch) override { return next_.IdOf(launch); }
  void Add(const DeviceEvent& event) override { next_.Add(event); }
  void Add(const StreamEvent& event) override { next_.Add(event); }
  void Add(const KernelEvent& event) override { next_.Add(event); }
  void Add(const KnownKernelEvent& event) override { next_.Add(event); }
  void Add(const UntracedKernelEvent& event) override { next_.Add(event); }
  void Add(const LaunchCountEvent& event) override { next_.Add(event); }
  void Add(const CopyEvent& event) override { next_.Add(event); }
  void Add(const MemsetEvent& event) override { next_.Add(event); }
  void Add(const GraphRunEvent& event) override { next_.Add(event); }
  void Add(const SyncEvent& event) override { next_.Add(event); }
  void Add(const ApiEvent& event) override { next_.Add(event); }
  void Add(const OverheadEvent& event) override { next_.Add(event); }
  void Add(const AllocationEvent& event) override { next_.Add(event); }
  void Add(const PoolEvent& event) override { next_.Add(event); }
  void Add(const UnifiedMemoryEvent& event) override { next_.Add(event); }
  void Add(const GpuStateEvent& event) override { next_.Add(event); }
  void Add(const GraphNodeEvent& event) override { next_.Add(event); }
  [[nodiscard]] bool HasPath(uint32_t path) const override { return next_.HasPath(path); }
  void Add(const PassGroupEvent& event) override { next_.Add(event); }
  void Add(const CounterSampleEvent& event) override { next_.Add(event); }
  void Add(const PmSeriesEvent& event) override { next_.Add(event); }
  void Add(const PmBatchEvent& event) override { next_.Add(event); }
  void Add(const ProfilerIntervalEvent& event) override { next_.Add(event); }
  void Add(const NoticeEvent& event) override { next_.Add(event); }
  void WriteIfLarge() override { next_.WriteIfLarge(); }

 private:
  EventSink& next_;
};

// What comes while the recording warms up: names, devices, streams, graphs and notices pass, all
// that happened is left out.
class WarmUpSink final : public ForwardingSink {
 public:
  using ForwardingSink::Add;
  using ForwardingSink::ForwardingSink;

  void Add(const KernelEvent& event) override { (void)event; }
  void Add(const KnownKernelEvent& event) override { (void)event; }
  void Add(const UntracedKernelEvent& event) override { (void)event; }
  void Add(const CopyEvent& event) override { (void)event; }
  void Add(const MemsetEvent& event) override { (void)event; }
  void Add(const GraphRunEvent& event) override { (void)event; }
  void Add(const SyncEvent& event) override { (void)event; }
  void Add(const ApiEvent& event) override { (void)event; }
  void Add(const OverheadEvent& event) override { (void)event; }
  void Add(const UnifiedMemoryEvent& event) override { (void)event; }
  void Add(const GpuStateEvent& event) override { (void)event; }
  void Add(const CounterSampleEvent& event) override { (void)event; }
  void Add(const PmBatchEvent& event) override { (void)event; }
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WINDOWS_FORWARDING_SINK_H_
