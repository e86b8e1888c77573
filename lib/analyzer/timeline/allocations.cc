// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/allocations.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/timeline/copies.h"

namespace prof::analyzer {
namespace {

using model::Allocation;
using model::AllocationOperation;
using model::MemoryKind;
using model::Model;

// Sizes come from a file, which may hold any number.
void AddTo(uint64_t bytes, uint64_t* sum) {
  *sum += std::min(bytes, std::numeric_limits<uint64_t>::max() - *sum);
}
void TakeFrom(uint64_t bytes, uint64_t* sum) { *sum -= std::min(bytes, *sum); }

bool OnDevice(MemoryKind memory) {
  return memory == MemoryKind::kDevice || memory == MemoryKind::kArray;
}

struct Kind {
  MemoryKind memory = MemoryKind::kUnknown;
  uint64_t live_bytes = 0;
  AllocationSummary summary;
};

struct Device {
  std::vector<Kind> kinds;  // a handful
  uint64_t live_bytes = 0;
  DeviceMemory memory;
  bool used = false;  // memory of its own was allocated

  Kind& Find(const Allocation& allocation) {
    for (Kind& kind : kinds) {
      if (kind.memory == allocation.memory && kind.summary.pooled == allocation.pooled) return kind;
    }
    Kind& kind = kinds.emplace_back();
    kind.memory = allocation.memory;
    kind.summary.device = allocation.device;
    kind.summary.memory = MemoryName(allocation.memory);
    kind.summary.pooled = allocation.pooled;
    return kind;
  }
};

// Walks the allocations and frees in the order of time.
class Ledger {
 public:
  Ledger(const Model& model, const RangeFamilies& families) : model_(model), families_(families) {}

  void Walk() {
    for (const Allocation& allocation : model_.allocations) {
      if (allocation.operation == AllocationOperation::kAllocate) Allocate(allocation);
      if (allocation.operation == AllocationOperation::kFree) Free(allocation);
    }
    for (const auto& [address, allocation] : live_) {
      Kind& kind = devices_[allocation->device].Find(*allocation);
      ++kind.summary.at_end;
      AddTo(allocation->bytes, &kind.summary.bytes_at_end);
      AddTo(allocation->bytes, &ranges_[families_.of_path[allocation->path]].bytes_at_end);
    }
  }

  void Write(MemoryReport* report) {
    for (auto& [id, device] : devices_) {
      device.memory.device = id;
      device.memory.bytes_at_end = device.live_bytes;
      if (device.used) report->devices.push_back(device.memory);
      for (Kind& kind : device.kinds) report->kinds.push_back(std::move(kind.summary));
    }
    for (auto& [path, range] : ranges_) {
      range.range = path == 0 ? "(no range)" : families_.label[path];
      report->ranges.push_back(std::move(range));
    }
    report->frees_missing = frees_missing_;
    const auto by_bytes = [](const auto& a, const auto& b) { return a.bytes > b.bytes; };
    std::stable_sort(report->kinds.begin(), report->kinds.end(), by_bytes);
    std::stable_sort(report->ranges.begin(), report->ranges.end(), by_bytes);
  }

 private:
  double SinceStart(int64_t time_ns) const {
    // Modulo 2^64: the file may hold any number.
    return static_cast<double>(static_cast<int64_t>(
        static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(model_.process.start_ns)));
  }

  void Allocate(const Allocation& allocation) {
    const auto [at, added] = live_.try_emplace(allocation.address, &allocation);
    if (!added) {  // one address cannot hold two: the first was freed
      ++frees_missing_;
      Release(*at->second);
      at->second = &allocation;
    }
    Device& device = devices_[allocation.device];
    Kind& kind = device.Find(allocation);
    ++kind.summary.allocations;
    AddTo(allocation.bytes, &kind.summary.bytes);
    AddTo(allocation.bytes, &kind.live_bytes);
    if (kind.live_bytes > kind.summary.peak_bytes) {
      kind.summary.peak_bytes = kind.live_bytes;
      kind.summary.peak_at_ns = SinceStart(allocation.time_ns);
    }
    RangeAllocations& range = ranges_[families_.of_path[allocation.path]];
    ++range.allocations;
    AddTo(allocation.bytes, &range.bytes);
    if (!OnDevice(allocation.memory)) return;
    AddTo(allocation.bytes, &range.device_bytes);
    AddTo(allocation.bytes, &device.live_bytes);
    device.used = true;
    if (device.live_bytes <= device.memory.peak_bytes) return;
    device.memory.peak_bytes = device.live_bytes;
    device.memory.peak_at_ns = SinceStart(allocation.time_ns);
    for (Kind& each : device.kinds) each.summary.bytes_at_device_peak = each.live_bytes;
  }

  void Free(const Allocation& freed) {
    const auto at = live_.find(freed.address);
    if (at == live_.end()) {
      ++devices_[freed.device].Find(freed).summary.frees_of_earlier;
      return;
    }
    Kind& kind = devices_[at->second->device].Find(*at->second);
    ++kind.summary.frees;
    AddTo(at->second->bytes, &kind.summary.bytes_freed);
    Release(*at->second);
    live_.erase(at);
  }

  void Release(const Allocation& allocation) {
    Device& device = devices_[allocation.device];
    TakeFrom(allocation.bytes, &device.Find(allocation).live_bytes);
    if (OnDevice(allocation.memory)) TakeFrom(allocation.bytes, &device.live_bytes);
  }

  const Model& model_;
  const RangeFamilies& families_;
  std::map<uint32_t, Device> devices_;
  std::map<uint32_t, RangeAllocations> ranges_;  // by the first path of the family
  // By address. Not hashed: somebody may make a file whose addresses all have one hash.
  std::map<uint64_t, const Allocation*> live_;
  int64_t frees_missing_ = 0;
};

std::vector<PoolReport> SummarizePools(const Model& model) {
  std::map<uint64_t, PoolReport> pools;
  for (const model::PoolState& state : model.pool_states) {
    PoolReport& pool = pools[state.address];
    pool.address = state.address;
    pool.device = state.device;
    pool.imported = state.type == model::PoolType::kImported;
    pool.managed |= state.managed;
    switch (state.operation) {
      case model::PoolOperation::kAllocation:
        ++pool.operations;
        break;
      case model::PoolOperation::kTrimmed:
        ++pool.trims;
        break;
      case model::PoolOperation::kCreated:
      case model::PoolOperation::kDestroyed:
      case model::PoolOperation::kUnknown:
        break;
    }
    if (state.type != model::PoolType::kLocal) continue;
    const bool gone = state.operation == model::PoolOperation::kDestroyed;
    pool.reserved_at_end = gone ? 0 : state.reserved;
    pool.used_at_end = gone ? 0 : state.used;
    pool.reserved_peak = std::max(pool.reserved_peak, state.reserved);
    pool.used_peak = std::max(pool.used_peak, state.used);
    pool.release_threshold = state.threshold;
  }
  std::vector<PoolReport> list;
  list.reserve(pools.size());
  for (const auto& [address, pool] : pools) list.push_back(pool);
  std::stable_sort(list.begin(), list.end(), [](const PoolReport& a, const PoolReport& b) {
    return a.reserved_peak > b.reserved_peak;
  });
  return list;
}

}  // namespace

MemoryReport SummarizeAllocations(const Model& model, const RangeFamilies& families) {
  MemoryReport report;
  Ledger ledger(model, families);
  ledger.Walk();
  ledger.Write(&report);
  report.pools = SummarizePools(model);
  report.records_lost = RecordsLost(model);
  return report;
}

}  // namespace prof::analyzer
