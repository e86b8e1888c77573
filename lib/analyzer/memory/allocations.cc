// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/allocations.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lib/analyzer/memory/holders.h"
#include "lib/analyzer/timeline/copies.h"

namespace prof::analyzer {
namespace {

using model::Allocation;
using model::MemoryKind;
using model::Model;

struct KindTotals {
  MemoryKind memory = MemoryKind::kUnknown;
  uint64_t live_bytes = 0;
  AllocationSummary summary;
};

struct Device {
  std::vector<KindTotals> kinds;  // a handful
  uint64_t live_bytes = 0;
  DeviceMemory memory;
  int64_t peak = kNoChange;  // index into Ledger::changes
  bool used = false;         // memory of its own was allocated

  KindTotals& Find(const Allocation& allocation) {
    for (KindTotals& kind : kinds) {
      if (kind.memory == allocation.memory && kind.summary.pooled == allocation.pooled) return kind;
    }
    KindTotals& kind = kinds.emplace_back();
    kind.memory = allocation.memory;
    kind.summary.device = allocation.device;
    kind.summary.memory = MemoryName(allocation.memory);
    kind.summary.pooled = allocation.pooled;
    return kind;
  }
};

// Sums up the ledger, change after change.
class LedgerSummary {
 public:
  LedgerSummary(const Model& model, const RangeFamilies& families, const Ledger& ledger)
      : model_(model), families_(families), ledger_(ledger) {}

  void SumUp() {
    for (size_t i = 0; i < ledger_.changes.size(); ++i) {
      const Block& block = ledger_.blocks[ledger_.changes[i].block];
      const Allocation& allocation = ledger_.Of(block);
      if (ledger_.changes[i].ends) {
        End(block, allocation);
      } else {
        Begin(static_cast<int64_t>(i), allocation);
      }
    }
    for (const size_t index : ledger_.earlier_frees) {
      const Allocation& freed = (*ledger_.allocations)[index];
      ++devices_[freed.device].Find(freed).summary.frees_of_earlier;
    }
    for (const Block& block : ledger_.blocks) {
      if (block.end != kNoChange) continue;
      const Allocation& allocation = ledger_.Of(block);
      KindTotals& kind = devices_[allocation.device].Find(allocation);
      ++kind.summary.at_end;
      AddTo(allocation.bytes, &kind.summary.bytes_at_end);
    }
  }

  void Write(MemoryReport* report) {
    for (auto& [id, device] : devices_) {
      if (device.used) report->devices.push_back(Describe(id, device));
      for (KindTotals& kind : device.kinds) report->kinds.push_back(std::move(kind.summary));
    }
    std::stable_sort(report->kinds.begin(), report->kinds.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  }

 private:
  DeviceMemory Describe(uint32_t id, const Device& device) const {
    DeviceMemory memory = device.memory;
    memory.device = id;
    memory.bytes_at_end = device.live_bytes;
    Holdings holdings = HoldingsAfter(model_, families_, ledger_, id, device.peak);
    memory.holders = std::move(holdings.holders);
    memory.lines = std::move(holdings.lines);
    memory.ops = std::move(holdings.ops);
    memory.sizes = std::move(holdings.sizes);
    memory.blocks_at_peak = holdings.blocks;
    return memory;
  }

  void Begin(int64_t change, const Allocation& allocation) {
    Device& device = devices_[allocation.device];
    KindTotals& kind = device.Find(allocation);
    ++kind.summary.allocations;
    AddTo(allocation.bytes, &kind.summary.bytes);
    AddTo(allocation.bytes, &kind.live_bytes);
    if (kind.live_bytes > kind.summary.peak_bytes) {
      kind.summary.peak_bytes = kind.live_bytes;
      kind.summary.peak_at_ns = SinceStart(model_, allocation.time_ns);
    }
    if (SpaceOf(allocation.memory) != Space::kDevice) return;
    AddTo(allocation.bytes, &device.live_bytes);
    device.used = true;
    if (device.live_bytes <= device.memory.peak_bytes) return;
    device.memory.peak_bytes = device.live_bytes;
    device.memory.peak_at_ns = SinceStart(model_, allocation.time_ns);
    device.peak = change;
    for (KindTotals& each : device.kinds) each.summary.bytes_at_device_peak = each.live_bytes;
  }

  void End(const Block& block, const Allocation& allocation) {
    Device& device = devices_[allocation.device];
    KindTotals& kind = device.Find(allocation);
    if (!block.replaced) {
      ++kind.summary.frees;
      AddTo(allocation.bytes, &kind.summary.bytes_freed);
    }
    TakeFrom(allocation.bytes, &kind.live_bytes);
    if (SpaceOf(allocation.memory) == Space::kDevice) {
      TakeFrom(allocation.bytes, &device.live_bytes);
    }
  }

  const Model& model_;
  const RangeFamilies& families_;
  const Ledger& ledger_;
  std::map<uint32_t, Device> devices_;
};

}  // namespace

void SummarizeAllocations(const Model& model, const RangeFamilies& families, const Ledger& ledger,
                          MemoryReport* report) {
  LedgerSummary summary(model, families, ledger);
  summary.SumUp();
  summary.Write(report);
}

}  // namespace prof::analyzer
