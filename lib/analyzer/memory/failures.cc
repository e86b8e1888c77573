// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/failures.h"

#include <map>
#include <tuple>
#include <utility>

#include "lib/analyzer/memory/holders.h"
#include "lib/analyzer/memory/places.h"
#include "lib/analyzer/memory/pools.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostFailures = 20;  // each has a walk over the ledger

// Bytes of each device's own memory after a change.
std::map<uint32_t, uint64_t> LiveAfter(const Ledger& ledger, int64_t change) {
  std::map<uint32_t, uint64_t> live;
  for (const Block& block : ledger.blocks) {
    if (block.begin > change) break;
    const model::Allocation& allocation = ledger.Of(block);
    if (SpaceOf(allocation.memory) != Space::kDevice || !block.LiveAfter(change)) continue;
    AddTo(allocation.bytes, &live[allocation.device]);
  }
  return live;
}

void AddLedger(const model::Model& model, const RangeFamilies& families, const Ledger& ledger,
               int64_t time_ns, AllocationFailure* failure) {
  const int64_t change = ledger.LastChange(time_ns);
  for (const auto& [device, bytes] : LiveAfter(ledger, change)) {
    if (failure->device && bytes <= failure->bytes) continue;
    failure->device = device;
    failure->bytes = bytes;
  }
  if (failure->device) {
    Holdings holdings = HoldingsAfter(model, families, ledger, *failure->device, change);
    failure->holders = std::move(holdings.holders);
    failure->lines = std::move(holdings.lines);
  }
  failure->unused_in_pools = UnusedInPools(model, time_ns);
}

}  // namespace

std::vector<AllocationFailure> FindFailures(const model::Model& model,
                                            const RangeFamilies& families, const Ledger& ledger) {
  // Function, range, line and op.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, size_t> known;
  std::vector<AllocationFailure> failures;
  const Places places(model);
  for (size_t i = 0; i < model.api_calls.size(); ++i) {
    if (model.api_calls.error(i) != model::kOutOfMemory) continue;
    const model::ApiCall call = model.api_calls[i];
    const uint32_t owner = families.of_path[call.path];
    const uint32_t frame = places.FrameOf(i), op = places.OpOfFailed(i);
    const auto [place, added] = known.try_emplace({call.name, owner, frame, op}, failures.size());
    if (added) {
      AllocationFailure& failure = failures.emplace_back();
      failure.call = model.strings[call.name];
      failure.range = OwnerName(families, owner);
      failure.place = DescribeFrame(model, frame);
      failure.op = TorchOpName(model, op);
      failure.first_at_ns = SinceStart(model, call.end_ns);
      if (failures.size() <= kMostFailures) {
        AddLedger(model, families, ledger, call.end_ns, &failure);
      }
    }
    ++failures[place->second].count;
  }
  if (failures.size() > kMostFailures) failures.resize(kMostFailures);
  return failures;
}

}  // namespace prof::analyzer
