// SPDX-License-Identifier: Apache-2.0
//
// The ledger has each block of memory from its allocation to its free, in the order of time, with
// the NVTX range, the line and the op that allocated it. What was allocated before the recording
// began is not in it. There is one of the memory that CUDA gave, and one of what PyTorch's
// allocator gave to tensors.
#ifndef PROF_LIB_ANALYZER_MEMORY_LEDGER_H_
#define PROF_LIB_ANALYZER_MEMORY_LEDGER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Index of no change.
inline constexpr int64_t kNoChange = -1;
// Index of no free.
inline constexpr size_t kNotFreed = static_cast<size_t>(-1);

struct Block {
  size_t allocation = 0;     // index into Ledger::allocations
  uint32_t owner = 0;        // RangeFamilies::of_path of its range; 0: no range
  uint32_t frame = 0;        // Places::FrameOf
  uint32_t op = 0;           // Places::OpOf
  int64_t begin = 0;         // index into Ledger::changes
  int64_t end = kNoChange;   // kNoChange: not freed
  size_t freed = kNotFreed;  // index into Ledger::allocations; kNotFreed also where it is replaced
  bool replaced = false;     // another block took its address: the record of the free is missing

  // After the change with this index.
  [[nodiscard]] bool LiveAfter(int64_t change) const {
    return begin <= change && (end == kNoChange || end > change);
  }
};

// A block begins or ends.
struct Change {
  size_t block = 0;
  bool ends = false;
  int64_t time_ns = 0;
};

struct Ledger {
  const std::vector<model::Allocation>* allocations = nullptr;  // and frees, of the model
  std::vector<Block> blocks;                                    // in the order of their allocations
  std::vector<Change> changes;                                  // in the order of time
  // Frees of memory without an allocation in the ledger: indices into `allocations`.
  std::vector<size_t> earlier_frees;
  int64_t frees_missing = 0;

  [[nodiscard]] const model::Allocation& Of(const Block& block) const {
    return (*allocations)[block.allocation];
  }

  // The last change at or before `time_ns`; kNoChange: there is none.
  [[nodiscard]] int64_t LastChange(int64_t time_ns) const;
};

// Of Model::allocations, or of Model::tensors. n log n in the records, any of which a file may
// hold.
[[nodiscard]] Ledger BuildLedger(const model::Model& model, const RangeFamilies& families);
[[nodiscard]] Ledger BuildTensorLedger(const model::Model& model, const RangeFamilies& families);

// Kinds of memory that fill up on their own.
enum class Space : uint8_t { kDevice, kPinned, kManaged, kOther };
[[nodiscard]] Space SpaceOf(model::MemoryKind memory);

// Sums of sizes from a file, which may hold any number: they end at the largest and at zero.
void AddTo(uint64_t bytes, uint64_t* sum);
void TakeFrom(uint64_t bytes, uint64_t* sum);

// The name of an owner in the report.
[[nodiscard]] std::string OwnerName(const RangeFamilies& families, uint32_t owner);

// Nanoseconds after the recording began.
[[nodiscard]] double SinceStart(const model::Model& model, int64_t time_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_LEDGER_H_
