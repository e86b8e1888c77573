// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/memory_decode.h"

#include "cupti_backend/api/cupti_versions.h"

namespace prof::cupti {
namespace {

using capture::MemoryKind;
using capture::UnifiedMemoryKind;

int64_t SignedNs(uint64_t time) { return static_cast<int64_t>(time); }

capture::PoolType TypeOf(uint32_t type) {
  switch (type) {
    case CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL:
      return capture::PoolType::kLocal;
    case CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED:
      return capture::PoolType::kImported;
    default:
      return capture::PoolType::kUnknown;
  }
}

// CUPTI leaves the sizes of other processes' pools undefined, or puts something else there.
capture::PoolState StateOf(uint32_t type, uint64_t address, uint64_t reserved, uint64_t used,
                           uint64_t threshold) {
  capture::PoolState state;
  state.type = TypeOf(type);
  state.address = address;
  if (state.type != capture::PoolType::kLocal) return state;
  state.reserved = reserved;
  state.used = used;
  state.threshold = threshold;
  return state;
}

capture::PoolOperation OperationOf(uint32_t operation) {
  switch (operation) {
    case CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED:
      return capture::PoolOperation::kCreated;
    case CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED:
      return capture::PoolOperation::kDestroyed;
    case CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED:
      return capture::PoolOperation::kTrimmed;
    default:
      return capture::PoolOperation::kUnknown;
  }
}

UnifiedMemoryKind UnifiedKindOf(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
      return UnifiedMemoryKind::kHostToDevice;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
      return UnifiedMemoryKind::kDeviceToHost;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT:
      return UnifiedMemoryKind::kCpuFault;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT:
      return UnifiedMemoryKind::kGpuFault;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING:
      return UnifiedMemoryKind::kThrashing;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING:
      return UnifiedMemoryKind::kThrottling;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP:
      return UnifiedMemoryKind::kRemoteMap;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD:
      return UnifiedMemoryKind::kDeviceToDevice;
    default:
      return UnifiedMemoryKind::kUnknown;
  }
}

}  // namespace

MemoryKind MemoryOf(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return MemoryKind::kPageable;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return MemoryKind::kPinned;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return MemoryKind::kDevice;
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return MemoryKind::kArray;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return MemoryKind::kManaged;
    default:
      return MemoryKind::kUnknown;
  }
}

bool IsVariable(const CUpti_ActivityMemory4& record) {
  const auto kind = static_cast<uint32_t>(record.memoryKind);
  return kind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC ||
         kind == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC;
}

bool AllocationOf(const CUpti_ActivityMemory4& r, capture::AllocationEvent* event) {
  const auto operation = static_cast<uint32_t>(r.memoryOperationType);
  event->free = operation == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  if (!event->free && operation != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION) return false;
  event->memory = MemoryOf(static_cast<uint32_t>(r.memoryKind));
  event->address = r.address;
  event->bytes = r.bytes;
  event->device = r.deviceId;
  event->context = r.contextId;
  event->stream = r.isAsync != 0 ? r.streamId : capture::AllocationEvent::kNoStream;
  event->correlation = r.correlationId;
  event->time_ns = SignedNs(r.timestamp);
  const auto& pool = r.memoryPoolConfig;
  const auto type = static_cast<uint32_t>(pool.memoryPoolType);
  event->pooled = type != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID;
  if (event->pooled) {
    event->pool =
        StateOf(type, pool.address, pool.pool.size, pool.utilizedSize, pool.releaseThreshold);
  }
  return true;
}

capture::PoolEvent PoolOf(const CUpti_ActivityMemoryPool3* r, uint32_t version) {
  capture::PoolEvent event;
  event.operation = OperationOf(static_cast<uint32_t>(r->memoryPoolOperationType));
  event.managed = version >= kCupti13 && r->isManagedPool != 0;
  event.state = StateOf(static_cast<uint32_t>(r->memoryPoolType), r->address, r->size,
                        r->utilizedSize, r->releaseThreshold);
  if (event.operation == capture::PoolOperation::kTrimmed) event.keep_bytes = r->minBytesToKeep;
  event.device = r->deviceId;
  event.correlation = r->correlationId;
  event.time_ns = SignedNs(r->timestamp);
  return event;
}

// By CUPTI's headers several fields have no meaning for some kinds: they stay 0.
capture::UnifiedMemoryEvent UnifiedMemoryOf(const CUpti_ActivityUnifiedMemoryCounter3& r) {
  capture::UnifiedMemoryEvent event;
  event.kind = UnifiedKindOf(static_cast<uint32_t>(r.counterKind));
  event.start_ns = SignedNs(r.start);
  event.end_ns = SignedNs(r.end);
  switch (event.kind) {
    case UnifiedMemoryKind::kHostToDevice:
    case UnifiedMemoryKind::kDeviceToHost:
    case UnifiedMemoryKind::kDeviceToDevice:
      event.value = r.value;
      event.source = r.srcId;
      event.destination = r.dstId;
      event.cause = r.flags;
      break;
    case UnifiedMemoryKind::kRemoteMap:
      event.value = r.value;
      event.source = r.srcId;
      event.destination = r.dstId;
      event.cause = r.flags;
      event.end_ns = event.start_ns;
      break;
    case UnifiedMemoryKind::kGpuFault:
      event.value = r.value;
      event.source = r.srcId;
      event.cause = r.flags;
      break;
    case UnifiedMemoryKind::kCpuFault:  // its value is the program counter
      event.cause = r.flags;
      event.end_ns = event.start_ns;
      break;
    case UnifiedMemoryKind::kThrashing:  // its source is a set of devices
      event.value = r.value;
      event.end_ns = event.start_ns;
      break;
    case UnifiedMemoryKind::kThrottling:
      event.source = r.srcId;
      break;
    case UnifiedMemoryKind::kUnknown:
      break;
  }
  return event;
}

}  // namespace prof::cupti
