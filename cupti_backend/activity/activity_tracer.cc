// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/activity_tracer.h"

#include <utility>

#include "cupti_backend/api/cupti_versions.h"
#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

struct ActivityKind {
  CUpti_ActivityKind kind;
  const char* name;
};

// EXTERNAL_CORRELATION and MARKER are not here: prof records ranges itself (nvtx_bridge), and
// launches find their range through the thread and time of the API call. prof also records calls
// and what they wait for itself (call_trace.h): RUNTIME, DRIVER and SYNCHRONIZATION are not here.
constexpr ActivityKind kActivityKinds[] = {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels"},
                                           {CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
                                           {CUPTI_ACTIVITY_KIND_MEMCPY2, "peer copies"},
                                           {CUPTI_ACTIVITY_KIND_MEMSET, "memsets"},
                                           {CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead"},
                                           {CUPTI_ACTIVITY_KIND_MEMORY2, "allocations"},
                                           {CUPTI_ACTIVITY_KIND_MEMORY_POOL, "memory pools"},
                                           {CUPTI_ACTIVITY_KIND_STREAM, "streams"}};

constexpr size_t kSpareBytes = size_t{16} << 20;  // reserved, not committed

std::atomic<ActivityTracer*> active_tracer{nullptr};

}  // namespace

Graphs ActivityTracer::DecideGraphs(Graphs wanted, bool none_yet) {
  if (!graphs_) graphs_ = wanted == Graphs::kWhole && none_yet ? wanted : Graphs::kNodes;
  return *graphs_;
}

ActivityTracer::Enabled ActivityTracer::Enable() {
  if (api_->version < kCupti12_9 && !spare_) spare_.emplace(kSpareBytes);
  active_tracer.store(this, std::memory_order_release);
  graphs_ = graphs();  // from here on the program may make graphs
  settings_.Set();
  CUptiResult result = api_->activity_register_callbacks(&OnBufferRequested, &OnBufferCompleted);
  if (result != CUPTI_SUCCESS) {
    if (!graph_trace_requested_) graphs_ = Graphs::kNodes;  // the next attempt would be too late
    return {result, "anything (it takes no buffers)"};
  }
  enabled_ = true;
  std::string missing;
  // Before kernels are traced: the kind that is enabled first holds for later graphs.
  if (graphs() == Graphs::kWhole && !graph_trace_requested_) {
    graph_trace_requested_ = true;
    result = api_->activity_enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
    if (result != CUPTI_SUCCESS) {
      graphs_ = Graphs::kNodes;
      missing = "graphs as a whole";
    }
  }
  for (const ActivityKind& kind : kActivityKinds) {
    const CUptiResult enabled = api_->activity_enable(kind.kind);
    if (enabled != CUPTI_SUCCESS && result == CUPTI_SUCCESS) {
      result = enabled;
      missing = kind.name;
    }
  }
  return {result, std::move(missing)};
}

// The kind DRIVER stays off. With it on, and all other calls dropped, a launch costs 3 to 14 % more
// (H200, docs/measurements/launches.md); switched on and off for the probe it takes callbacks away:
// cuLaunchKernelEx had none any more (CUPTI 13.0). A later profiler that enables the kind gets all
// calls: that sets the choice back (cupti_activity.h).
bool ActivityTracer::RecordProbe(const std::function<void()>& probe) {
  if (!enabled_ || !api_->Has(Feature::kCallSelection)) return false;
  if (api_->activity_enable_driver_api(kProbeCall, 1) != CUPTI_SUCCESS) return false;
  probe();
  api_->activity_enable_driver_api(kProbeCall, 0);
  return true;
}

void ActivityTracer::Disable() {
  if (!enabled_) return;
  enabled_ = false;
  for (const ActivityKind& kind : kActivityKinds) api_->activity_disable(kind.kind);
  settings_.SetBack();
}

void ActivityTracer::OnLost() {
  enabled_ = false;
  if (graphs_) graphs_ = Graphs::kNodes;  // the program may have graphs by now
  settings_.OnLost();
}

void ActivityTracer::Flush(bool forced) {
  api_->activity_flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  if (spare_) spare_->Drain([](uint8_t*, size_t) {});
}

uint64_t ActivityTracer::TakeDropped() {
  size_t dropped = 0;
  if (api_->activity_get_num_dropped(nullptr, 0, &dropped) != CUPTI_SUCCESS) return 0;
  return dropped;
}

// A launching thread, inside CUPTI. No lock, no allocation. Without room it gets no buffer: CUPTI
// drops the records and counts them.
void ActivityTracer::OnBufferRequested(uint8_t** buffer, size_t* size, size_t* max_records) {
  ActivityTracer* tracer = active_tracer.load(std::memory_order_acquire);
  *buffer = tracer != nullptr ? tracer->pool_.Take() : nullptr;
  *size = *buffer != nullptr ? tracer->buffer_size_.Next(capture::MonotonicNs()) : 0;
  *max_records = 0;
  if (*buffer == nullptr && tracer != nullptr && tracer->spare_) tracer->TakeSpare(buffer, size);
}

// Records that go into a spare buffer are lost, and the pool has counted the request.
void ActivityTracer::TakeSpare(uint8_t** buffer, size_t* size) {
  alignas(8) static uint8_t last[64 << 10];  // of several threads at once: nobody reads it
  *buffer = spare_->Take();
  *size = *buffer != nullptr ? capture::BufferPool::kBufferBytes : sizeof(last);
  if (*buffer == nullptr) *buffer = last;
}

// CUPTI's worker thread, or a thread that flushes.
void ActivityTracer::OnBufferCompleted(CUcontext, uint32_t, uint8_t* buffer, size_t,
                                       size_t valid_size) {
  ActivityTracer* tracer = active_tracer.load(std::memory_order_acquire);
  if (tracer == nullptr) return;
  if (tracer->spare_ && tracer->spare_->Owns(buffer)) {
    tracer->spare_->GiveFull(buffer, valid_size);
  } else {
    tracer->pool_.GiveFull(buffer, valid_size);
  }
}

}  // namespace prof::cupti
