// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/activity_decode.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <optional>

#include "cupti_backend/activity/activity_tracer.h"
#include "cupti_backend/activity/gpu_state.h"
#include "cupti_backend/activity/memory_decode.h"
#include "cupti_backend/api/cupti_versions.h"
#include "lib/format/waiting_kernels.h"

namespace prof::cupti {
namespace {

using capture::CopyKind;

constexpr char kUnnamed[] = "(unnamed kernel)";

CopyKind CopyKindOf(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return CopyKind::kHostToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return CopyKind::kDeviceToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return CopyKind::kDeviceToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return CopyKind::kHostToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return CopyKind::kPeerToPeer;
    default:
      return CopyKind::kUnknown;
  }
}

const char* OverheadOf(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "driver compiler";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "CUPTI buffer flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "CUPTI instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "CUPTI resources";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return "module loading";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return "lazy function loading";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return "command buffer full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return "CUPTI buffer request";
    case CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT:
      return "CUPTI unified memory setup";
    default:
      return "other";
  }
}

int64_t Ns(uint64_t time) { return static_cast<int64_t>(time); }
uint32_t U(int32_t value) { return value > 0 ? static_cast<uint32_t>(value) : 0; }

// CUPTI's range profiler runs a kernel of its own beside each range that reads SM counters.
bool IsProfilersOwn(const CUpti_ActivityKernel10& r) {
  return r.gridX == 1 && r.blockX == 1 && r.name != nullptr && std::strcmp(r.name, "WaitNs") == 0;
}

capture::Channel ChannelOf(uint32_t id, CUpti_ChannelType type) {
  switch (type) {
    case CUPTI_CHANNEL_TYPE_COMPUTE:
      return {id, capture::ChannelType::kCompute};
    case CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY:
      return {id, capture::ChannelType::kCopy};
    case CUPTI_CHANNEL_TYPE_DECOMP:
      return {id, capture::ChannelType::kDecompression};
    default:
      return {};
  }
}

capture::StreamEvent StreamOf(const CUpti_ActivityStream& r) {
  capture::StreamEvent event;
  event.context = r.contextId;
  event.stream = r.streamId;
  event.priority = static_cast<int32_t>(r.priority);  // CUDA's are zero and below
  switch (r.flag) {
    case CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT:
      event.flag = capture::StreamFlag::kDefault;
      break;
    case CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING:
      event.flag = capture::StreamFlag::kNonBlocking;
      break;
    case CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL:
      event.flag = capture::StreamFlag::kNull;
      break;
    default:
      break;
  }
  return event;
}

// A graph that begins or ends on the host has no device there. Records before CUDA 12.3 end where
// the device of the end follows. A pointer: of a reference to it a compiler may take the whole
// record to be there, and read it all before it looks at the version (clang does).
std::optional<capture::GraphRunEvent> GraphRunOf(const CUpti_ActivityGraphTrace2* r,
                                                 uint32_t version) {
  constexpr uint32_t kHost = INT_MAX;
  const bool has_end = version >= kCupti12_3;
  capture::GraphRunEvent event;
  event.graph = r->graphId;
  event.device = r->deviceId != kHost || !has_end ? r->deviceId : r->endDeviceId;
  event.context = r->contextId != kHost || !has_end ? r->contextId : r->endContextId;
  if (event.device == kHost || event.context == kHost) return std::nullopt;
  event.stream = r->streamId;
  event.correlation = r->correlationId;
  event.start_ns = Ns(r->start);
  event.end_ns = Ns(r->end);
  return event;
}

KernelKey KeyOfKernel(const CUpti_ActivityKernel10& r) {
  return KernelKeyOf(r.name, {U(r.gridX), U(r.gridY), U(r.gridZ)},
                     {U(r.blockX), U(r.blockY), U(r.blockZ)}, U(r.dynamicSharedMemory));
}

// Everything that repeats from launch to launch.
capture::KernelEvent LaunchOf(const CUpti_ActivityKernel10& r) {
  capture::KernelEvent event;
  event.name = r.name != nullptr ? r.name : kUnnamed;
  event.grid = {U(r.gridX), U(r.gridY), U(r.gridZ)};
  event.block = {U(r.blockX), U(r.blockY), U(r.blockZ)};
  event.cluster = {r.clusterX, r.clusterY, r.clusterZ};
  event.static_shared_bytes = U(r.staticSharedMemory);
  event.dynamic_shared_bytes = U(r.dynamicSharedMemory);
  event.shared_executed_bytes = r.sharedMemoryExecuted;
  event.registers_per_thread = r.registersPerThread;
  event.local_bytes_per_thread = r.localMemoryPerThread;
  event.launch_type = r.launchType;
  event.device = r.deviceId;
  event.context = r.contextId;
  event.stream = r.streamId;
  event.channel = ChannelOf(r.channelID, r.channelType);
  return event;
}

// CUpti_ActivityMemcpy6, or CUpti_ActivityMemcpyPtoP4 for copies between devices.
template <typename Record>
capture::CopyEvent CopyOf(const Record& r, CopyKind kind) {
  capture::CopyEvent event;
  event.kind = kind;
  event.source = MemoryOf(r.srcKind);
  event.destination = MemoryOf(r.dstKind);
  event.async = (r.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  event.bytes = r.bytes;
  event.device = r.deviceId;
  event.context = r.contextId;
  event.stream = r.streamId;
  event.channel = ChannelOf(r.channelID, r.channelType);
  event.correlation = r.correlationId;
  event.graph = r.graphId;
  event.graph_node = r.graphNodeId;
  event.start_ns = Ns(r.start);
  event.end_ns = Ns(r.end);
  return event;
}

capture::MemsetEvent MemsetOf(const CUpti_ActivityMemset4& r) {
  capture::MemsetEvent event;
  event.bytes = r.bytes;
  event.memory = MemoryOf(r.memoryKind);
  event.graph = r.graphId;
  event.graph_node = r.graphNodeId;
  event.device = r.deviceId;
  event.context = r.contextId;
  event.stream = r.streamId;
  event.channel = ChannelOf(r.channelID, r.channelType);
  event.correlation = r.correlationId;
  event.start_ns = Ns(r.start);
  event.end_ns = Ns(r.end);
  return event;
}

}  // namespace

void ActivityDecoder::Decode(uint8_t* buffer, size_t bytes, capture::EventSink& sink) {
  CUpti_Activity* record = nullptr;
  launches_.BeginBuffer();
  // Anything but success ends the buffer: MAX_LIMIT_REACHED at its end, INVALID_KIND at a record
  // that CUPTI has not completed.
  while (api_->activity_get_next_record(buffer, bytes, &record) == CUPTI_SUCCESS) {
    if (first_correlation_ != 0) Renumber(record);
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        DecodeKernel(*reinterpret_cast<CUpti_ActivityKernel10*>(record), sink);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = *reinterpret_cast<CUpti_ActivityMemcpy6*>(record);
        saw_other_work_ = true;
        Watch(copy);
        if (watch_ != nullptr && watch_->triage.Wants(copy.deviceId, Ns(copy.end))) {
          watch_->triage.Of(static_cast<int>(copy.deviceId))
              ->AddRecord(0, Ns(copy.start), Ns(copy.end));
        }
        sink.Add(CopyOf(copy, CopyKindOf(static_cast<uint32_t>(copy.copyKind))));
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        saw_other_work_ = true;
        sink.Add(
            CopyOf(*reinterpret_cast<CUpti_ActivityMemcpyPtoP4*>(record), CopyKind::kPeerToPeer));
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        saw_other_work_ = true;
        sink.Add(MemsetOf(*reinterpret_cast<CUpti_ActivityMemset4*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_DRIVER: {
        const auto& call = *reinterpret_cast<CUpti_ActivityAPI*>(record);
        if (call.cbid == ActivityTracer::kProbeCall && call.threadId == probing_thread_) ++probes_;
        break;
      }
      case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: {
        const auto* const r = reinterpret_cast<const CUpti_ActivityGraphTrace2*>(record);
        const std::optional<capture::GraphRunEvent> run = GraphRunOf(r, api_->version);
        saw_other_work_ = true;
        if (!run) {
          ++unknown_records_;
          break;
        }
        if (watch_ != nullptr) {
          watch_->Add(run->device, run->context, run->stream, run->correlation, run->start_ns,
                      run->end_ns);
        }
        if (run->end_ns == 0 || run->end_ns >= start_ns_) sink.Add(*run);
        break;
      }
      case CUPTI_ACTIVITY_KIND_STREAM:
        sink.Add(StreamOf(*reinterpret_cast<CUpti_ActivityStream*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_OVERHEAD: {
        const auto& r = *reinterpret_cast<CUpti_ActivityOverhead3*>(record);
        const bool has_thread = r.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
        sink.Add(capture::OverheadEvent{OverheadOf(static_cast<uint32_t>(r.overheadKind)),
                                        has_thread ? r.objectId.pt.threadId : 0, Ns(r.start),
                                        Ns(r.end)});
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMORY2:
        DecodeAllocation(*reinterpret_cast<CUpti_ActivityMemory4*>(record), sink);
        break;
      case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
        sink.Add(PoolOf(reinterpret_cast<const CUpti_ActivityMemoryPool3*>(record), api_->version));
        break;
      case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
        sink.Add(UnifiedMemoryOf(*reinterpret_cast<CUpti_ActivityUnifiedMemoryCounter3*>(record)));
        break;
      case CUPTI_ACTIVITY_KIND_ENVIRONMENT: {
        const capture::GpuStateEvent reading =
            GpuStateOf(*reinterpret_cast<CUpti_ActivityEnvironment*>(record));
        if (reading.kind != capture::GpuStateKind::kUnknown) sink.Add(reading);
        break;
      }
      default:
        ++unknown_records_;
        break;
    }
  }
}

// In place: the buffer is read once.
[[gnu::noinline]] void ActivityDecoder::Renumber(CUpti_Activity* record) const {
  const auto renumber = [&](uint32_t* id) {
    if (*id != 0) *id += first_correlation_;
  };
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return renumber(&reinterpret_cast<CUpti_ActivityKernel10*>(record)->correlationId);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return renumber(&reinterpret_cast<CUpti_ActivityMemcpy6*>(record)->correlationId);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return renumber(&reinterpret_cast<CUpti_ActivityMemcpyPtoP4*>(record)->correlationId);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return renumber(&reinterpret_cast<CUpti_ActivityMemset4*>(record)->correlationId);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return renumber(&reinterpret_cast<CUpti_ActivityGraphTrace2*>(record)->correlationId);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return renumber(&reinterpret_cast<CUpti_ActivityMemory4*>(record)->correlationId);
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return renumber(&reinterpret_cast<CUpti_ActivityMemoryPool3*>(record)->correlationId);
    default:
      return;
  }
}

void ActivityDecoder::DecodeKernel(const CUpti_ActivityKernel10& r, capture::EventSink& sink) {
  if (IsProfilersOwn(r)) return;
  ++kernels_;
  if (r.graphNodeId != 0) ++nodes_;
  Watch(r);
  if (watch_ != nullptr && watch_->triage.Wants(r.deviceId, Ns(r.end))) Triage(r);
  const LaunchIdCache::Id* known = launches_.Find(r);
  const LaunchIdCache::Id id = known != nullptr ? *known : LookUp(r, sink);
  sink.Add(capture::KnownKernelEvent{id.shape, id.lane, r.correlationId, r.graphId, r.graphNodeId,
                                     Ns(r.start), Ns(r.end)});
}

// Not inlined: it is rare, and would take registers from the frequent path.
[[gnu::noinline]] void ActivityDecoder::Triage(const CUpti_ActivityKernel10& r) {
  const KernelKey key = r.name != nullptr && format::IsOfNccl(r.name) ? 0 : KeyOfKernel(r);
  watch_->triage.Of(static_cast<int>(r.deviceId))->AddRecord(key, Ns(r.start), Ns(r.end));
}

[[gnu::noinline]] LaunchIdCache::Id ActivityDecoder::LookUp(const CUpti_ActivityKernel10& r,
                                                            capture::EventSink& sink) {
  if (watch_ != nullptr) watch_->triage.See(r.deviceId);
  capture::KernelEvent launch = LaunchOf(r);
  if (watch_ != nullptr) {
    const std::optional<uint32_t> local = watch_->local_memory.Find(KeyOfKernel(r));
    launch.local_known = local.has_value();
    launch.local_bytes_per_thread = std::max(launch.local_bytes_per_thread, local.value_or(0));
  }
  const std::optional<format::CodeCensus> code =
      code_ != nullptr ? code_->Find(launch.name) : std::nullopt;
  if (code) launch.code = &*code;
  const capture::LaunchId found = sink.IdOf(launch);
  const LaunchIdCache::Id id = {found.shape, found.lane};
  if (found.lasting) launches_.Keep(r, id);  // the sink counts each time what found no room
  return id;
}

void ActivityDecoder::DecodeAllocation(const CUpti_ActivityMemory4& record,
                                       capture::EventSink& sink) {
  if (IsVariable(record)) return;
  capture::AllocationEvent event;
  if (AllocationOf(record, &event)) {
    sink.Add(event);
  } else {
    ++unknown_records_;
  }
}

}  // namespace prof::cupti
