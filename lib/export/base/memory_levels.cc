// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/memory_levels.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace prof::exporting {
namespace {

struct Block {
  uint32_t device = 0;
  uint64_t bytes = 0;
};

class Levels {
 public:
  void Add(const AllocationEvent& event) {
    Free(event);  // also before an allocation there: the record of the free is missing
    if (event.freed) return;
    if (event.memory != MemoryType::kDevice && event.memory != MemoryType::kArray) return;
    live_[event.address] = {event.device, event.bytes};
    uint64_t& sum = sums_[event.device];
    sum += std::min(event.bytes, std::numeric_limits<uint64_t>::max() - sum);
    Put(event.device, event.time_ns);
  }

  std::vector<MemoryLevel> Take() { return std::move(levels_); }

 private:
  void Free(const AllocationEvent& event) {
    const auto at = live_.find(event.address);
    if (at == live_.end()) return;
    const Block block = at->second;
    live_.erase(at);
    uint64_t& sum = sums_[block.device];
    sum -= std::min(block.bytes, sum);
    Put(block.device, event.time_ns);
  }

  void Put(uint32_t device, int64_t time_ns) {
    const bool same =
        !levels_.empty() && levels_.back().device == device && levels_.back().time_ns == time_ns;
    if (!same) levels_.push_back({device, time_ns, 0});
    levels_.back().bytes = sums_[device];
  }

  std::map<uint64_t, Block> live_;  // by address
  std::map<uint32_t, uint64_t> sums_;
  std::vector<MemoryLevel> levels_;
};

}  // namespace

std::vector<MemoryLevel> MemoryLevels(const Events& events) {
  Levels levels;
  for (const AllocationEvent& event : events.allocations()) levels.Add(event);
  return levels.Take();
}

}  // namespace prof::exporting
