// SPDX-License-Identifier: Apache-2.0
//
// Tests what files that were made to do harm cost the reader. This program counts what operator new
// gives out: bytes in all stand for work, bytes at a time for memory. Nothing is timed.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "lib/format/framing.h"
#include "lib/snapshot/decode/state.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace {

std::atomic<size_t> bytes_in_all{0}, bytes_now{0}, most_bytes{0};
std::atomic<size_t> memory{SIZE_MAX};  // what there is

constexpr size_t kHead = alignof(std::max_align_t);

void* Allocate(size_t size) {
  const size_t now = bytes_now.fetch_add(size) + size;
  auto* const block = now > memory ? nullptr : static_cast<char*>(std::malloc(size + kHead));
  if (block == nullptr) {
    bytes_now -= size;
    throw std::bad_alloc();
  }
  *reinterpret_cast<size_t*>(block) = size;
  bytes_in_all += size;
  size_t most = most_bytes;
  while (now > most && !most_bytes.compare_exchange_weak(most, now)) continue;
  return block + kHead;
}

void Release(void* memory_of) {
  if (memory_of == nullptr) return;
  char* const block = static_cast<char*>(memory_of) - kHead;
  bytes_now -= *reinterpret_cast<size_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* block) noexcept { Release(block); }
void operator delete[](void* block) noexcept { Release(block); }
void operator delete(void* block, size_t /*size*/) noexcept { Release(block); }
void operator delete[](void* block, size_t /*size*/) noexcept { Release(block); }

namespace prof::hostile_test {
namespace {

using Catch::Contains;

struct Cost {
  size_t work = 0, memory = 0;
  absl::Status status;
  std::string truncation;
};

Cost Reading(const std::string& bytes) {
  Cost cost;
  const size_t work = bytes_in_all, before = bytes_now;
  most_bytes = before;
  const absl::StatusOr<model::Model> model = ReadSnapshot(bytes);
  cost.work = bytes_in_all - work;
  cost.memory = most_bytes - before;
  cost.status = model.status();
  if (model.ok()) cost.truncation = model->truncation;
  return cost;
}

std::string Frame(const wire::Block& block) { return test::Frame(block.SerializeAsString()); }

std::string FirstBlock() {
  wire::Block block;
  block.mutable_header()->set_format_version(1);
  return test::FileHeader() + Frame(block);
}

// 1,000 devices with 200 peaks each, then `blocks` blocks of a few bytes.
std::string DevicesAndBlocks(int blocks, const wire::Block& tiny) {
  wire::Block block;
  block.mutable_header()->set_format_version(1);
  for (int i = 0; i < 200; ++i) block.add_strings("dram__bytes.sum.peak" + std::to_string(i));
  for (uint32_t device = 0; device < 1'000; ++device) {
    wire::Device* entry = block.add_devices();
    entry->set_id(device);
    for (uint32_t peak = 1; peak <= 200; ++peak) {
      entry->add_peaks()->set_metric(peak);
      entry->mutable_peaks(static_cast<int>(peak) - 1)->set_value(peak);
    }
  }
  std::string bytes = test::FileHeader() + Frame(block);
  for (int i = 0; i < blocks; ++i) bytes += Frame(tiny);
  return bytes;
}

TEST_CASE("A block costs the reader what it holds, whatever the blocks before it hold") {
  wire::Block nothing, device, series;
  nothing.mutable_integrity()->set_kernels(1);
  device.add_devices()->set_id(7);
  for (const wire::Block& tiny : {nothing, device}) {
    const Cost few = Reading(DevicesAndBlocks(1'000, tiny));
    const Cost many = Reading(DevicesAndBlocks(3'000, tiny));
    REQUIRE(many.status.ok());
    CHECK(many.truncation.empty());
    // Messages that are kept for the next batch of blocks are in this, too.
    CHECK((many.work - few.work) / 2'000 < 8'192);
  }
}

TEST_CASE("Entries of two bytes cannot ask for much memory, in one block or in many") {
  const std::vector<std::pair<const char*, std::function<void(wire::Block*)>>> kinds = {
      {"strings", [](wire::Block* block) { block->add_strings(); }},
      {"devices", [](wire::Block* block) { block->add_devices(); }},
      {"range_paths", [](wire::Block* block) { block->add_range_paths(); }},
      {"kernel_shapes", [](wire::Block* block) { block->add_kernel_shapes(); }},
      {"lanes", [](wire::Block* block) { block->add_lanes(); }},
      {"threads", [](wire::Block* block) { block->add_threads(); }},
      {"pass_groups", [](wire::Block* block) { block->add_pass_groups(); }},
      {"streams", [](wire::Block* block) { block->add_streams(); }},
      {"notices", [](wire::Block* block) { block->add_notices(); }},
      {"names", [](wire::Block* block) { block->add_names(); }},
      {"profiler_intervals", [](wire::Block* block) { block->add_profiler_intervals(); }}};
  for (const auto& [name, add] : kinds) {
    INFO(name);
    wire::Block one;
    add(&one);
    const std::string entry = one.SerializeAsString();
    for (const size_t payload : {size_t{12} << 20, size_t{1} << 20}) {
      std::string entries;
      entries.reserve(payload + entry.size());
      while (entries.size() + entry.size() <= payload) entries += entry;
      std::string bytes = FirstBlock();
      for (size_t size = 0; size < size_t{12} << 20; size += payload) bytes += test::Frame(entries);
      const Cost cost = Reading(bytes);
      const size_t allowed = snapshot::kMemoryPerByte * bytes.size() + snapshot::kMemoryInAnyCase;
      CHECK(cost.memory < 2 * allowed);
      CHECK(cost.status.ok());
    }
  }
}

TEST_CASE("Numbers of names that no row has are damage, and cost no more than their bytes") {
  wire::Block block;
  for (int i = 0; i < 1'000'000; ++i) {
    block.mutable_ranges()->mutable_numbers()->add_row_delta(0);
    block.mutable_ranges()->mutable_numbers()->add_value_delta(1);
  }
  const std::string bytes = FirstBlock() + Frame(block);
  const Cost cost = Reading(bytes);
  CHECK_THAT(cost.truncation, Contains("belongs to no row"));
  CHECK(cost.memory < 16 * bytes.size() + snapshot::kMemoryInAnyCase);
}

TEST_CASE("Where there is no memory for a file, reading it and analyzing it are errors") {
  test::SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  for (int i = 0; i < 20'000; ++i) {
    b.Kernel(shape, "step " + std::to_string(i % 300), i * 1'000, i * 1'000 + 500);
  }
  const std::string bytes = b.Bytes(20);
  const Cost all = Reading(bytes);
  REQUIRE(all.status.ok());
  int failed = 0;
  for (size_t share = 1; share < 20; ++share) {
    memory = bytes_now + all.memory * share / 20;
    absl::StatusCode code = absl::StatusCode::kOk;
    bool thrown = false;
    try {
      code = ReadSnapshot(bytes).status().code();
    } catch (...) {
      thrown = true;
    }
    memory = SIZE_MAX;
    CHECK_FALSE(thrown);
    CHECK((code == absl::StatusCode::kOk || code == absl::StatusCode::kResourceExhausted));
    failed += code == absl::StatusCode::kResourceExhausted ? 1 : 0;
  }
  CHECK(failed > 10);

  const Snapshot snapshot = Snapshot::FromBytes(bytes);
  memory = bytes_now + all.memory / 2;
  const Report report = Analyze(snapshot);
  memory = SIZE_MAX;
  CHECK_THAT(report.error, Contains("not enough memory"));
}

}  // namespace
}  // namespace prof::hostile_test
