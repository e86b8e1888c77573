// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/memory_decode.h"

#include <limits>

#include "cupti_backend/api/cupti_versions.h"
#include "test/cupti_backend/activity/activity_buffer.h"

namespace prof::cupti::test::memory_decode_test {
namespace {

constexpr uint64_t kStart = 1'700'000'000'000'000'000;
constexpr uint64_t kAddress = 0x7f00'1234'0000;

int64_t Ns(uint64_t time) { return static_cast<int64_t>(time); }

CUpti_ActivityMemory4 Memory(CUpti_ActivityMemoryOperationType operation, uint64_t bytes,
                             uint64_t time) {
  auto record = Zeroed<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2);
  record.memoryOperationType = operation;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.address = kAddress;
  record.bytes = bytes;
  record.timestamp = time;
  record.deviceId = 1;
  record.contextId = 2;
  record.streamId = CUPTI_INVALID_STREAM_ID;
  record.correlationId = 4;
  return record;
}

CUpti_ActivityUnifiedMemoryCounter3 Unified(CUpti_ActivityUnifiedMemoryCounterKind kind) {
  auto record =
      Zeroed<CUpti_ActivityUnifiedMemoryCounter3>(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  record.counterKind = kind;
  record.value = 65536;
  record.start = kStart;
  record.end = kStart + 700;
  record.srcId = 3;
  record.dstId = 5;
  record.flags = 2;
  return record;
}

// The one event of a buffer with one record.
model::UnifiedMemory Decoded(const CUpti_ActivityUnifiedMemoryCounter3& record) {
  ActivityBuffer buffer;
  buffer.Add(record);
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.unified_memory.size() == 1);
  return model.unified_memory[0];
}

TEST_CASE("Variables of loaded code are not taken for allocations") {
  ActivityBuffer buffer;
  for (const auto kind :
       {CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC}) {
    auto record = Memory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 20, kStart);
    record.memoryKind = kind;
    buffer.Add(record);
  }
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  CHECK(model.allocations.empty());
  CHECK(model.integrity.unknown_records == 0);
}

TEST_CASE("Every field of an allocation and of its free that prof keeps arrives") {
  ActivityBuffer buffer;
  buffer.Add(Memory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, uint64_t{5} << 32, kStart));
  buffer.Add(Memory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, 0, kStart + 9));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK(decoding.decoder.unknown_records() == 0);
  CHECK_FALSE(decoding.decoder.saw_gpu_work());
  const model::Model model = decoding.Model();
  REQUIRE(model.allocations.size() == 2);
  const model::Allocation& allocated = model.allocations[0];
  CHECK(allocated.operation == model::AllocationOperation::kAllocate);
  CHECK(allocated.memory == model::MemoryKind::kDevice);
  CHECK_FALSE(allocated.pooled);
  CHECK(allocated.device == 1);
  CHECK(allocated.context == 2);
  CHECK(allocated.stream == 0xffffffff);
  CHECK(allocated.correlation == 4);
  CHECK(allocated.address == kAddress);
  CHECK(allocated.bytes == uint64_t{5} << 32);
  CHECK(allocated.time_ns == Ns(kStart));
  CHECK(model.allocations[1].operation == model::AllocationOperation::kFree);
  CHECK(model.allocations[1].address == kAddress);
  CHECK(model.pool_states.empty());
}

TEST_CASE("An allocation from a pool arrives with its stream and with what the pool holds") {
  auto record = Memory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 4096, kStart);
  record.isAsync = 1;
  record.streamId = 13;
  record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  record.memoryPoolConfig.address = 0xabc000;
  record.memoryPoolConfig.releaseThreshold = std::numeric_limits<uint64_t>::max();
  record.memoryPoolConfig.pool.size = 33554432;
  record.memoryPoolConfig.utilizedSize = 8192;
  ActivityBuffer buffer;
  buffer.Add(record);
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.allocations.size() == 1);
  CHECK(model.allocations[0].pooled);
  CHECK(model.allocations[0].stream == 13);
  REQUIRE(model.pool_states.size() == 1);
  const model::PoolState& state = model.pool_states[0];
  CHECK(state.operation == model::PoolOperation::kAllocation);
  CHECK(state.type == model::PoolType::kLocal);
  CHECK(state.device == 1);
  CHECK(state.address == 0xabc000);
  CHECK(state.reserved == 33554432);
  CHECK(state.used == 8192);
  CHECK(state.threshold == std::numeric_limits<uint64_t>::max());
  CHECK(state.time_ns == Ns(kStart));
}

TEST_CASE("Another process's pool has no sizes: CUPTI puts a process id there") {
  auto record = Memory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 4096, kStart);
  record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED;
  record.memoryPoolConfig.pool.processId = 4711;
  capture::AllocationEvent event;
  REQUIRE(AllocationOf(record, &event));
  CHECK(event.pooled);
  CHECK(event.pool.type == capture::PoolType::kImported);
  CHECK(event.pool.reserved == 0);
}

TEST_CASE("What is neither an allocation nor a free is counted as unknown") {
  ActivityBuffer buffer;
  buffer.Add(Memory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_INVALID, 1, kStart));
  buffer.Add(Memory(static_cast<CUpti_ActivityMemoryOperationType>(9), 1, kStart));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK(decoding.decoder.unknown_records() == 2);
  CHECK(decoding.Model().allocations.empty());
}

TEST_CASE("An allocation without a time is counted, not kept") {
  ActivityBuffer buffer;
  buffer.Add(Memory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 1, 0));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  CHECK(model.allocations.empty());
  CHECK(model.integrity.untimed == 1);
}

TEST_CASE("Every kind of memory that is allocated has a name of ours") {
  CHECK(MemoryOf(CUPTI_ACTIVITY_MEMORY_KIND_PINNED) == capture::MemoryKind::kPinned);
  CHECK(MemoryOf(CUPTI_ACTIVITY_MEMORY_KIND_MANAGED) == capture::MemoryKind::kManaged);
  CHECK(MemoryOf(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC) == capture::MemoryKind::kDevice);
  CHECK(MemoryOf(CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC) == capture::MemoryKind::kManaged);
  CHECK(MemoryOf(CUPTI_ACTIVITY_MEMORY_KIND_ARRAY) == capture::MemoryKind::kArray);
  CHECK(MemoryOf(99) == capture::MemoryKind::kUnknown);
}

TEST_CASE("Every field of an operation on a pool that prof keeps arrives") {
  auto record = Zeroed<CUpti_ActivityMemoryPool3>(CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  record.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
  record.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  record.correlationId = 1;
  record.deviceId = 6;
  record.minBytesToKeep = 7;
  record.address = 0xabc000;
  record.size = 100;
  record.releaseThreshold = 50;
  record.timestamp = kStart;
  record.utilizedSize = 20;
  record.isManagedPool = 1;
  const capture::PoolEvent event = PoolOf(&record, kCupti13);
  CHECK(event.operation == capture::PoolOperation::kTrimmed);
  CHECK(event.keep_bytes == 7);
  CHECK(event.correlation == 1);
  ActivityBuffer buffer;
  buffer.Add(record);
  record.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED;
  record.timestamp = kStart + 5;
  buffer.Add(record);
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.pool_states.size() == 2);
  const model::PoolState& state = model.pool_states[0];
  CHECK(state.operation == model::PoolOperation::kTrimmed);
  CHECK(state.managed);
  CHECK(state.device == 6);
  CHECK(state.address == 0xabc000);
  CHECK(state.reserved == 100);
  CHECK(state.used == 20);
  CHECK(state.threshold == 50);
  CHECK(model.pool_states[1].operation == model::PoolOperation::kDestroyed);
}

TEST_CASE("The least to keep is a trim's only") {
  auto record = Zeroed<CUpti_ActivityMemoryPool3>(CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  record.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED;
  record.minBytesToKeep = 7;
  CHECK(PoolOf(&record, kCupti13).keep_bytes == 0);
  CHECK(PoolOf(&record, kCupti13).operation == capture::PoolOperation::kCreated);
}

TEST_CASE("A migration has bytes, a time, both processors and a cause") {
  const model::UnifiedMemory event =
      Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD));
  CHECK(event.kind == model::UnifiedMemoryKind::kHostToDevice);
  CHECK(event.value == 65536);
  CHECK(event.source == 3);
  CHECK(event.destination == 5);
  CHECK(event.cause == 2);
  CHECK(event.start_ns == Ns(kStart));
  CHECK(event.end_ns == Ns(kStart + 700));
  CHECK(Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH)).kind ==
        model::UnifiedMemoryKind::kDeviceToHost);
  CHECK(Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD)).kind ==
        model::UnifiedMemoryKind::kDeviceToDevice);
}

TEST_CASE("Of page faults only the fields that CUPTI says mean something are kept") {
  const model::UnifiedMemory gpu =
      Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT));
  CHECK(gpu.kind == model::UnifiedMemoryKind::kGpuFault);
  CHECK(gpu.value == 65536);
  CHECK(gpu.source == 3);
  CHECK(gpu.destination == 0);
  CHECK(gpu.end_ns == gpu.start_ns + 700);
  const model::UnifiedMemory cpu =
      Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT));
  CHECK(cpu.kind == model::UnifiedMemoryKind::kCpuFault);
  CHECK(cpu.value == 0);  // the program counter is no count
  CHECK(cpu.source == 0);
  CHECK(cpu.cause == 2);
  CHECK(cpu.end_ns == cpu.start_ns);
}

TEST_CASE("Thrashing, throttling, remote maps and what is not known arrive as such") {
  const model::UnifiedMemory thrashing =
      Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING));
  CHECK(thrashing.kind == model::UnifiedMemoryKind::kThrashing);
  CHECK(thrashing.value == 65536);
  CHECK(thrashing.source == 0);  // a set of devices, not one
  CHECK(thrashing.cause == 0);
  CHECK(thrashing.end_ns == thrashing.start_ns);
  const model::UnifiedMemory throttling =
      Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING));
  CHECK(throttling.kind == model::UnifiedMemoryKind::kThrottling);
  CHECK(throttling.value == 0);
  CHECK(throttling.end_ns == throttling.start_ns + 700);
  const model::UnifiedMemory map =
      Decoded(Unified(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP));
  CHECK(map.kind == model::UnifiedMemoryKind::kRemoteMap);
  CHECK(map.cause == 2);
  CHECK(map.end_ns == map.start_ns);
  CHECK(Decoded(Unified(static_cast<CUpti_ActivityUnifiedMemoryCounterKind>(77))).kind ==
        model::UnifiedMemoryKind::kUnknown);
}

}  // namespace
}  // namespace prof::cupti::test::memory_decode_test
