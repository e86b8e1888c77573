// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_memory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/html/track_writer.h"

namespace prof::html {
namespace {

constexpr size_t kMostChanges = 20'000;
constexpr int64_t kParts = 4096;  // of the span, where there are more changes than that

struct Change {
  int64_t time_ns = 0;
  size_t owner = 0;
  int64_t bytes = 0;
};

// By device: what each allocation and each free of a known allocation changes.
std::map<uint32_t, std::vector<Change>> ChangesOf(const model::Model& model, TimelineData* data) {
  const analyzer::RangeFamilies families = analyzer::FindAllRangeFamilies(model);
  const analyzer::Ledger ledger = analyzer::BuildLedger(model, families);
  std::map<uint32_t, size_t> owners;  // places in TimelineData::owners
  std::map<uint32_t, std::vector<Change>> changes;
  for (const analyzer::Change& change : ledger.changes) {
    const analyzer::Block& block = ledger.blocks[change.block];
    const model::Allocation& allocation = ledger.Of(block);
    if (analyzer::SpaceOf(allocation.memory) != analyzer::Space::kDevice) continue;
    const auto [owner, added] = owners.emplace(block.owner, data->owners.size());
    if (added) data->owners.push_back(analyzer::OwnerName(families, block.owner));
    const auto bytes = static_cast<int64_t>(allocation.bytes);
    changes[allocation.device].push_back(
        {change.time_ns, owner->second, change.ends ? -bytes : bytes});
  }
  return changes;
}

std::vector<Change> Thinned(const std::vector<Change>& changes, const TimelineData& data) {
  if (changes.size() <= kMostChanges) return changes;
  const int64_t part_ns = (data.end_ns - data.start_ns) / kParts + 1;
  std::map<std::pair<int64_t, size_t>, int64_t> sums;
  for (const Change& change : changes) {
    sums[{(change.time_ns - data.start_ns) / part_ns, change.owner}] += change.bytes;
  }
  std::vector<Change> thinned;
  for (const auto& [key, bytes] : sums) {
    if (bytes != 0) {
      thinned.push_back({data.start_ns + key.first * part_ns, key.second, bytes});
    }
  }
  return thinned;
}

}  // namespace

void GatherMemory(const model::Model& model, TimelineData* data) {
  for (const auto& [device, all] : ChangesOf(model, data)) {
    Track track;
    track.kind = "memory";
    track.device = device;
    track.group = "GPU " + std::to_string(device);
    track.label = "memory";
    TrackWriter writer(data, std::move(track), 3);
    int64_t last_ns = data->start_ns;
    for (const Change& change : Thinned(all, *data)) {
      writer.column(0).Add(static_cast<uint64_t>(change.time_ns - last_ns));
      writer.column(1).AddSigned(change.bytes);
      writer.column(2).Add(change.owner);
      last_ns = change.time_ns;
      writer.EndRow();
    }
    writer.Finish();
  }
}

}  // namespace prof::html
