// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/left.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace prof::analyzer {
namespace {

using model::RangeInstance;
using ThreadAndPath = std::pair<uint32_t, uint32_t>;

// Finds the instance of its range in which a block was allocated.
class InstanceFinder {
 public:
  InstanceFinder(const model::Model& model, const Ledger& ledger) : model_(model) {
    std::set<uint32_t> paths;
    for (const Block& block : ledger.blocks) {
      paths.insert(ledger.Of(block).path);
    }
    if (paths.empty()) return;
    for (const RangeInstance& instance : model.instances) {
      if (paths.count(instance.path) == 0) continue;
      starts_[{instance.thread, instance.path}].push_back(instance.start_ns);
    }
  }

  // The thread and the path, and the number of the instance among theirs.
  struct Id {
    ThreadAndPath range;
    ptrdiff_t number = 0;
    bool operator<(const Id& other) const {
      return std::pair(range, number) < std::pair(other.range, other.number);
    }
  };

  // False: not known.
  bool Find(const model::Allocation& allocation, Id* id) const {
    if (allocation.api == model::kNoIndex || allocation.path == model::kNone) return false;
    const model::ApiCall call = model_.api_calls[static_cast<size_t>(allocation.api)];
    const auto range = starts_.find({call.thread, allocation.path});
    if (range == starts_.end()) return false;
    const std::vector<int64_t>& starts = range->second;
    const auto after = std::upper_bound(starts.begin(), starts.end(), call.start_ns);
    if (after == starts.begin()) return false;
    *id = {range->first, after - starts.begin()};
    return true;
  }

 private:
  const model::Model& model_;
  std::map<ThreadAndPath, std::vector<int64_t>> starts_;  // of instances, in the order of time
};

struct Range {
  RangeAllocations report;
  std::set<InstanceFinder::Id> instances, left;
};

}  // namespace

std::vector<RangeAllocations> SummarizeRanges(const model::Model& model,
                                              const RangeFamilies& families, const Ledger& ledger) {
  const InstanceFinder instances(model, ledger);
  std::map<uint32_t, Range> ranges;
  for (const Block& block : ledger.blocks) {
    const model::Allocation& allocation = ledger.Of(block);
    Range& range = ranges[block.owner];
    RangeAllocations& report = range.report;
    ++report.allocations;
    AddTo(allocation.bytes, &report.bytes);
    if (SpaceOf(allocation.memory) == Space::kDevice) {
      AddTo(allocation.bytes, &report.device_bytes);
    }
    InstanceFinder::Id id;
    const bool known = instances.Find(allocation, &id);
    if (known) range.instances.insert(id);
    if (block.end != kNoChange) continue;
    if (known) range.left.insert(id);
    AddTo(allocation.bytes, &report.bytes_at_end);
    report.last_left_ns = SinceStart(model, allocation.time_ns);
    if (++report.blocks_at_end == 1) report.first_left_ns = report.last_left_ns;
  }
  std::vector<RangeAllocations> list;
  list.reserve(ranges.size());
  for (auto& [owner, range] : ranges) {
    range.report.range = OwnerName(families, owner);
    range.report.instances = static_cast<int64_t>(range.instances.size());
    range.report.instances_left = static_cast<int64_t>(range.left.size());
    list.push_back(std::move(range.report));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return list;
}

}  // namespace prof::analyzer
