// SPDX-License-Identifier: Apache-2.0
//
// These tests read allocations, pools and unified memory from correct and from damaged files.
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::memory_test {
namespace {

using Catch::Contains;
using test::MemoryUse;
using test::SnapshotBuilder;

constexpr uint64_t kHigh = 0xffff'ffff'ffff'f000;

model::PoolState State(uint64_t reserved, uint64_t used, int64_t time_ns = 0) {
  model::PoolState state;
  state.type = model::PoolType::kLocal;
  state.address = 0x5000;
  state.reserved = reserved;
  state.used = used;
  state.threshold = 7;
  state.time_ns = time_ns;
  return state;
}

// Two allocations, one of them from a pool, a free, an operation on the pool, a migration.
void AddSome(SnapshotBuilder* b) {
  b->Allocate(kHigh, 4096, "step/forward", 10'000);
  MemoryUse pooled;
  pooled.device = 2;
  pooled.memory = model::MemoryKind::kManaged;
  pooled.pool = State(1 << 20, 4096);
  b->Allocate(0x1000, uint64_t{1} << 40, "", 20'000, pooled);
  b->Free(kHigh, 30'000);
  model::PoolState trimmed = State(0, 0, 25'000);
  trimmed.operation = model::PoolOperation::kTrimmed;
  trimmed.managed = true;
  trimmed.device = 2;
  b->Pool(trimmed);
  b->Unified({model::UnifiedMemoryKind::kDeviceToHost, 1, 2, 4, 65'536, 12'000, 13'000});
}

absl::StatusOr<model::Model> ReadEdited(std::function<void(wire::Block&)> edit) {
  SnapshotBuilder b;
  AddSome(&b);
  b.edit = std::move(edit);
  return ReadSnapshot(b.Bytes());
}

std::string Truncation(std::function<void(wire::Block&)> edit) {
  // Without its only block the file has no model, so the reason is in the status.
  return std::string(ReadEdited(std::move(edit)).status().message());
}

TEST_CASE("Allocations, frees and pools come back as they were written, by time") {
  for (const int blocks : {1, 3}) {
    INFO(blocks << " blocks");
    SnapshotBuilder b;
    AddSome(&b);
    const absl::StatusOr<model::Model> read = ReadSnapshot(b.Bytes(blocks));
    REQUIRE(read.ok());
    const model::Model& m = *read;
    REQUIRE(m.allocations.size() == 3);
    const model::Allocation& first = m.allocations[0];
    CHECK(first.operation == model::AllocationOperation::kAllocate);
    CHECK(first.memory == model::MemoryKind::kDevice);
    CHECK_FALSE(first.pooled);
    CHECK(first.address == kHigh);
    CHECK(first.bytes == 4096);
    CHECK(first.stream == 0xffffffff);
    CHECK(first.time_ns == 10'000);
    const model::Allocation& second = m.allocations[1];
    CHECK(second.pooled);
    CHECK(second.memory == model::MemoryKind::kManaged);
    CHECK(second.device == 2);
    CHECK(second.address == 0x1000);
    CHECK(second.bytes == uint64_t{1} << 40);
    CHECK(m.allocations[2].operation == model::AllocationOperation::kFree);
    CHECK(m.allocations[2].address == kHigh);

    REQUIRE(m.pool_states.size() == 2);
    CHECK(m.pool_states[0].operation == model::PoolOperation::kAllocation);
    CHECK(m.pool_states[0].device == 2);
    CHECK(m.pool_states[0].time_ns == 20'000);
    CHECK(m.pool_states[0].address == 0x5000);
    CHECK(m.pool_states[0].reserved == 1 << 20);
    CHECK(m.pool_states[0].used == 4096);
    CHECK(m.pool_states[0].threshold == 7);
    CHECK(m.pool_states[1].operation == model::PoolOperation::kTrimmed);
    CHECK(m.pool_states[1].managed);
    CHECK(m.pool_states[1].time_ns == 25'000);

    REQUIRE(m.unified_memory.size() == 1);
    CHECK(m.unified_memory[0].kind == model::UnifiedMemoryKind::kDeviceToHost);
    CHECK(m.unified_memory[0].source == 1);
    CHECK(m.unified_memory[0].destination == 2);
    CHECK(m.unified_memory[0].cause == 4);
    CHECK(m.unified_memory[0].value == 65'536);
    CHECK(m.unified_memory[0].end_ns == 13'000);
  }
}

TEST_CASE("An allocation is in the range in which its call was made") {
  SnapshotBuilder b;
  b.Allocate(1, 1, "step/forward", 10'000);
  b.Allocate(2, 1, "step", 20'000);
  MemoryUse alone;
  alone.no_api = true;
  b.Allocate(3, 1, "step", 30'000, alone);
  const absl::StatusOr<model::Model> m = ReadSnapshot(b.Bytes());
  REQUIRE(m.ok());
  REQUIRE(m->allocations.size() == 3);
  CHECK(m->paths[m->allocations[0].path].full == "step/forward");
  CHECK(m->strings[m->api_calls[m->allocations[0].api].name] == "cudaMalloc");
  CHECK(m->paths[m->allocations[1].path].full == "step");
  CHECK(m->allocations[2].path == 0);
  CHECK(m->allocations[2].api == model::kNoIndex);
}

TEST_CASE("Tensors come back as they were written, by time, with their range and their op") {
  using model::TensorChange;
  SnapshotBuilder b;
  const uint32_t op = b.TorchOp(0, "aten::empty");
  b.Range("step", 0, 100'000);
  b.TorchStep(15'000, op);
  b.TorchStep(35'000, 0);
  b.Tensor(TensorChange::kFreed, kHigh, 0, 40'000, {1, 1000, 0});
  b.Tensor(TensorChange::kAllocated, kHigh, 512, 20'000, {1, 1000, 0});
  b.Tensor(TensorChange::kGradient, kHigh + 8, 8, 30'000);
  b.Tensor(TensorChange::kRefused, 0, uint64_t{1} << 40, 110'000);
  for (const int blocks : {1, 4}) {
    const absl::StatusOr<model::Model> m = ReadSnapshot(b.Bytes(blocks));
    REQUIRE(m.ok());
    REQUIRE(m->tensors.changes.size() == 2);
    const model::Allocation& first = m->tensors.changes[0];
    CHECK(first.operation == model::AllocationOperation::kAllocate);
    CHECK(first.address == kHigh);
    CHECK(first.bytes == 512);
    CHECK(first.device == 1);
    CHECK(first.time_ns == 20'000);
    CHECK(m->paths[first.path].full == "step");
    CHECK(first.torch_op == op);
    const model::Allocation& second = m->tensors.changes[1];
    CHECK(second.operation == model::AllocationOperation::kFree);
    CHECK(second.torch_op == 0);
    REQUIRE(m->tensors.uses.size() == 1);
    CHECK(m->tensors.uses[0].use == TensorChange::kGradient);
    CHECK(m->tensors.uses[0].address == kHigh + 8);
    CHECK(m->tensors.uses[0].time_ns == 30'000);
    REQUIRE(m->tensors.refused.size() == 1);
    CHECK(m->tensors.refused[0].bytes == uint64_t{1} << 40);
    CHECK(m->tensors.refused[0].path == 0);
  }
}

TEST_CASE("A file without columns about memory has no memory in its model") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "step", 100'000, 110'000);
  const absl::StatusOr<model::Model> m = ReadSnapshot(b.Bytes());
  REQUIRE(m.ok());
  CHECK(m->allocations.empty());
  CHECK(m->pool_states.empty());
  CHECK(m->unified_memory.empty());
}

TEST_CASE("Columns about memory that do not fit together are damage") {
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_allocations()->add_bytes(1); }),
             Contains("the columns of allocations differ in length"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_tensors()->add_bytes(1); }),
             Contains("the columns of tensors differ in length"));
  const auto one_tensor = [](uint32_t thread, int64_t stack, int64_t time_ns) {
    return Truncation([=](wire::Block& b) {
      wire::TensorColumns& tensors = *b.mutable_tensors();
      tensors.add_change(wire::TENSOR_ALLOCATED);
      tensors.add_device(0);
      tensors.add_thread(thread);
      tensors.add_time_delta_ns(time_ns);
      tensors.add_address_delta(1);
      tensors.add_bytes(1);
      tensors.add_stack_delta(stack);
    });
  };
  CHECK_THAT(one_tensor(99, 0, 1), Contains("tensors row 0 names thread 99"));
  CHECK_THAT(one_tensor(1, 7, 1), Contains("tensors row 0 names host stack 7"));
  CHECK_THAT(one_tensor(1, -1, 1), Contains("tensors row 0 names host stack"));
  CHECK_THAT(one_tensor(1, 0, std::numeric_limits<int64_t>::max()),
             Contains("tensors row 0 has an impossible time"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_allocations()->add_lane(1); }),
             Contains("the columns of allocations differ in length"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_allocations()->add_pool_row(0); }),
             Contains("the columns of pool states differ in length"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_allocations()->clear_pool(); }),
             Contains("the columns of pool states differ in length"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_pool_operations()->add_device(1); }),
             Contains("the columns of pool operations differ in length"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_pool_operations()->clear_state(); }),
             Contains("the columns of pool states differ in length"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_unified_memory()->add_cause(1); }),
             Contains("the columns of unified memory differ in length"));
}

TEST_CASE("Rows about memory with an unknown id or an impossible time are damage") {
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_allocations()->set_lane(1, 77); }),
             Contains("allocations row 1 names lane 77"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_allocations()->set_pool_row(0, 3); }),
             Contains("a sparse column of allocations names row 3 of 3"));
  CHECK_THAT(Truncation([](wire::Block& b) { b.mutable_allocations()->set_base_ns(INT64_MAX); }),
             Contains("allocations row 0 has an impossible time"));
  CHECK_THAT(
      Truncation([](wire::Block& b) { b.mutable_pool_operations()->set_base_ns(INT64_MIN); }),
      Contains("pool operations row 0 has an impossible time"));
  CHECK_THAT(Truncation([](wire::Block& b) {
               b.mutable_unified_memory()->set_duration_ns(0, UINT64_MAX);
             }),
             Contains("unified memory row 0 has an impossible time"));
}

TEST_CASE("A damaged block adds nothing about memory") {
  SnapshotBuilder b;
  AddSome(&b);
  AddSome(&b);
  int block = 0;
  b.edit = [&](wire::Block& wire) {
    if (++block == 2) wire.mutable_unified_memory()->add_cause(1);
  };
  const absl::StatusOr<model::Model> m = ReadSnapshot(b.Bytes(2));
  REQUIRE(m.ok());
  CHECK_THAT(m->truncation, Contains("unified memory"));
  CHECK(m->allocations.size() == 3);
  CHECK(m->pool_states.size() <= 2);
  CHECK(m->unified_memory.size() == 1);
}

TEST_CASE("Enumerators about memory that are newer than this version become unknown") {
  const absl::StatusOr<model::Model> m = ReadEdited([](wire::Block& b) {
    b.mutable_allocations()->set_operation(0, static_cast<wire::AllocationOperation>(99));
    b.mutable_allocations()->set_memory(0, static_cast<wire::MemoryKind>(99));
    b.mutable_pool_operations()->set_operation(0, static_cast<wire::PoolOperation>(99));
    b.mutable_pool_operations()->mutable_state()->set_type(0, static_cast<wire::PoolType>(99));
    b.mutable_unified_memory()->set_kind(0, static_cast<wire::UnifiedMemoryKind>(99));
  });
  REQUIRE(m.ok());
  CHECK(m->allocations[0].operation == model::AllocationOperation::kUnknown);
  CHECK(m->allocations[0].memory == model::MemoryKind::kUnknown);
  CHECK(m->pool_states[1].operation == model::PoolOperation::kUnknown);
  CHECK(m->pool_states[1].type == model::PoolType::kUnknown);
  CHECK(m->unified_memory[0].kind == model::UnifiedMemoryKind::kUnknown);
}

}  // namespace
}  // namespace prof::memory_test
