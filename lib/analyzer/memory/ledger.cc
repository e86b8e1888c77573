// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/ledger.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "lib/analyzer/memory/places.h"

namespace prof::analyzer {
namespace {

using model::Allocation;
using model::AllocationOperation;

class Builder {
 public:
  // `parts`: of larger blocks, which are given out again in other sizes: a new one may lie over
  // several whose frees were not recorded.
  Builder(const model::Model& model, const RangeFamilies& families,
          const std::vector<Allocation>& allocations, bool parts)
      : families_(families), places_(model), parts_(parts) {
    ledger_.allocations = &allocations;
  }

  Ledger Build() {
    for (size_t i = 0; i < ledger_.allocations->size(); ++i) {
      const AllocationOperation operation = (*ledger_.allocations)[i].operation;
      if (operation == AllocationOperation::kAllocate) Allocate(i);
      if (operation == AllocationOperation::kFree) Free(i);
    }
    return std::move(ledger_);
  }

 private:
  void Allocate(size_t index) {
    const Allocation& allocation = (*ledger_.allocations)[index];
    EndOverlapped(allocation);
    live_[allocation.address] = ledger_.blocks.size();
    Block block;
    block.allocation = index;
    block.owner = families_.of_path[allocation.path];
    block.frame = places_.FrameOf(allocation);
    block.op = places_.OpOf(allocation);
    block.begin = static_cast<int64_t>(ledger_.changes.size());
    ledger_.changes.push_back({ledger_.blocks.size(), false, allocation.time_ns});
    ledger_.blocks.push_back(block);
  }

  void Free(size_t index) {
    const Allocation& freed = (*ledger_.allocations)[index];
    const auto at = live_.find(freed.address);
    if (at == live_.end()) {
      ledger_.earlier_frees.push_back(index);
      return;
    }
    ledger_.blocks[at->second].freed = index;
    End(at->second, freed.time_ns);
    live_.erase(at);
  }

  // No memory holds two: those before were freed, and the record is missing.
  void EndOverlapped(const Allocation& allocation) {
    auto at = live_.upper_bound(allocation.address);
    if (at != live_.begin()) {
      const auto before = std::prev(at);
      const uint64_t length = LengthOf(ledger_.Of(ledger_.blocks[before->second]));
      if (allocation.address - before->first < length) at = before;
    }
    const uint64_t length = LengthOf(allocation);
    while (at != live_.end() &&
           (at->first <= allocation.address || at->first - allocation.address < length)) {
      ++ledger_.frees_missing;
      ledger_.blocks[at->second].replaced = true;
      End(at->second, allocation.time_ns);
      at = live_.erase(at);
    }
  }

  [[nodiscard]] uint64_t LengthOf(const Allocation& allocation) const {
    return parts_ ? std::max<uint64_t>(allocation.bytes, 1) : 1;
  }

  void End(size_t block, int64_t time_ns) {
    ledger_.blocks[block].end = static_cast<int64_t>(ledger_.changes.size());
    ledger_.changes.push_back({block, true, time_ns});
  }

  const RangeFamilies& families_;
  const Places places_;
  const bool parts_;
  Ledger ledger_;
  // Blocks by address. Not hashed: somebody may make a file whose addresses all have one hash.
  std::map<uint64_t, size_t> live_;
};

}  // namespace

int64_t Ledger::LastChange(int64_t time_ns) const {
  const auto after =
      std::upper_bound(changes.begin(), changes.end(), time_ns,
                       [](int64_t time, const Change& change) { return time < change.time_ns; });
  return after - changes.begin() - 1;
}

Ledger BuildLedger(const model::Model& model, const RangeFamilies& families) {
  return Builder(model, families, model.allocations, /*parts=*/false).Build();
}

Ledger BuildTensorLedger(const model::Model& model, const RangeFamilies& families) {
  return Builder(model, families, model.tensors.changes, /*parts=*/true).Build();
}

Space SpaceOf(model::MemoryKind memory) {
  switch (memory) {
    case model::MemoryKind::kDevice:
    case model::MemoryKind::kArray:
      return Space::kDevice;
    case model::MemoryKind::kPinned:
      return Space::kPinned;
    case model::MemoryKind::kManaged:
      return Space::kManaged;
    default:
      return Space::kOther;
  }
}

void AddTo(uint64_t bytes, uint64_t* sum) {
  *sum += std::min(bytes, std::numeric_limits<uint64_t>::max() - *sum);
}

void TakeFrom(uint64_t bytes, uint64_t* sum) { *sum -= std::min(bytes, *sum); }

std::string OwnerName(const RangeFamilies& families, uint32_t owner) {
  return owner == 0 ? "(no range)" : families.label[owner];
}

double SinceStart(const model::Model& model, int64_t time_ns) {
  // Modulo 2^64: the file may hold any number.
  return static_cast<double>(static_cast<int64_t>(static_cast<uint64_t>(time_ns) -
                                                  static_cast<uint64_t>(model.process.start_ns)));
}

}  // namespace prof::analyzer
