// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/growth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/memory/places.h"
#include "lib/analyzer/memory/trend.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using SpaceOfDevice = std::pair<Space, uint32_t>;  // device 0 for memory of no device

// Files that name more of them are damaged or made up.
constexpr size_t kMostSpaces = 64;
// The warm-up: buffers that a pipeline of several steps fills, caches, the first step's own work.
constexpr size_t kWarmUp = 4;  // a part in so many

// The least that was live within a step, and the change after which it was.
struct Level {
  uint64_t bytes = 0;
  int64_t change = kNoChange;
};

SpaceOfDevice SpaceOfBlock(const model::Allocation& allocation) {
  const Space space = SpaceOf(allocation.memory);
  return {space, space == Space::kDevice ? allocation.device : 0};
}

std::map<SpaceOfDevice, std::vector<int64_t>> ChangesBySpace(const Ledger& ledger) {
  std::map<SpaceOfDevice, std::vector<int64_t>> by_space;
  for (size_t i = 0; i < ledger.changes.size(); ++i) {
    const Block& block = ledger.blocks[ledger.changes[i].block];
    const SpaceOfDevice space = SpaceOfBlock(ledger.Of(block));
    if (space.first == Space::kOther) continue;
    if (by_space.size() >= kMostSpaces && by_space.count(space) == 0) continue;
    by_space[space].push_back(static_cast<int64_t>(i));
  }
  return by_space;
}

// One for each step: from the end of the step before it to its own.
std::vector<Level> LevelsOf(const Ledger& ledger, const std::vector<int64_t>& changes,
                            const Iterations& steps) {
  std::vector<Level> levels(steps.size());
  Level now;
  size_t step = 0;
  const auto pass_ends_before = [&](int64_t time_ns) {
    while (step < steps.size() && steps[step].end_ns < time_ns) {
      if (++step < steps.size()) levels[step] = now;
    }
  };
  for (const int64_t index : changes) {
    const Change& change = ledger.changes[static_cast<size_t>(index)];
    pass_ends_before(change.time_ns);
    const uint64_t bytes = ledger.Of(ledger.blocks[change.block]).bytes;
    change.ends ? TakeFrom(bytes, &now.bytes) : AddTo(bytes, &now.bytes);
    now.change = index;
    if (step < steps.size() && now.bytes < levels[step].bytes) levels[step] = now;
  }
  pass_ends_before(std::numeric_limits<int64_t>::max());
  return levels;
}

// `plus` - `minus`, as far as the type goes.
int64_t Difference(uint64_t plus, uint64_t minus) {
  return plus >= minus ? text::Clamped(plus - minus) : -text::Clamped(minus - plus);
}

// By owner: bytes at the last level, and at the first.
using GrowthBy = std::map<uint32_t, std::pair<uint64_t, uint64_t>>;

// A list for the report, by bytes; `describe` gives what an owner is.
template <typename Holder, typename Describe>
std::vector<Holder> Listed(const GrowthBy& by_owner, const Describe& describe) {
  std::vector<Holder> holders;
  for (const auto& [owner, sums] : by_owner) {
    const int64_t bytes = Difference(sums.first, sums.second);
    if (bytes != 0) holders.push_back({describe(owner), bytes});
  }
  std::stable_sort(holders.begin(), holders.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return holders;
}

void FindHolders(const model::Model& model, const RangeFamilies& families, const Ledger& ledger,
                 const SpaceOfDevice& space, const Level& first, const Level& last,
                 MemoryGrowth* growth) {
  GrowthBy by_range, by_frame;
  bool have_frames = false;  // a block that stayed as it was may have the only one
  for (const Block& block : ledger.blocks) {
    const model::Allocation& allocation = ledger.Of(block);
    if (SpaceOfBlock(allocation) != space) continue;
    have_frames = have_frames || block.frame != model::kNone;
    const bool at_last = block.LiveAfter(last.change), at_first = block.LiveAfter(first.change);
    if (at_last == at_first) continue;
    for (auto* const levels : {&by_range[block.owner], &by_frame[block.frame]}) {
      AddTo(allocation.bytes, at_last ? &levels->first : &levels->second);
    }
  }
  growth->holders =
      Listed<GrowingHolder>(by_range, [&](uint32_t owner) { return OwnerName(families, owner); });
  if (!have_frames) return;
  growth->lines =
      Listed<GrowingLine>(by_frame, [&](uint32_t frame) { return DescribeFrame(model, frame); });
}

const char* SpaceName(Space space) {
  switch (space) {
    case Space::kDevice:
      return "device";
    case Space::kPinned:
      return "pinned";
    case Space::kManaged:
      return "managed";
    case Space::kOther:
      break;
  }
  return "unknown";
}

}  // namespace

void FindGrowth(const model::Model& model, const RangeFamilies& families, const Ledger& ledger,
                LedgerOf of, const Iterations& steps, MemoryReport* report) {
  if (steps.empty()) {
    report->growth_missing = "no NVTX range was entered " +
                             std::to_string(static_cast<size_t>(kEnoughSteps)) +
                             " times, and no launches repeat, so there are no steps to compare";
    return;
  }
  for (const auto& [space, changes] : ChangesBySpace(ledger)) {
    const std::vector<Level> all = LevelsOf(ledger, changes, steps);
    const size_t begin = all.size() / kWarmUp;
    std::vector<double> levels;
    for (size_t i = begin; i < all.size(); ++i) {
      levels.push_back(static_cast<double>(all[i].bytes));
    }
    const Level& first = all[begin];
    const Level& last = all.back();
    const Trend trend = FindTrend(levels);
    MemoryGrowth& growth = report->growth.emplace_back();
    growth.memory = of == LedgerOf::kTensors ? "tensors" : SpaceName(space.first);
    if (space.first == Space::kDevice) growth.device = space.second;
    growth.step = steps.by_launches() ? steps.LaunchesName()
                                      : OwnerName(families, families.of_path[steps.front().path]);
    growth.by_launches = steps.by_launches();
    growth.steps = static_cast<int64_t>(levels.size());
    growth.first_bytes = first.bytes;
    growth.last_bytes = last.bytes;
    growth.bytes_per_step = trend.slope;
    growth.at_least = trend.at_least;
    growth.at_most = trend.at_most;
    growth.grows = trend.grows;
    growth.why_not = trend.why_not;
    FindHolders(model, families, ledger, space, first, last, &growth);
  }
  report->growth_missing = report->growth.empty() ? "no allocation was recorded" : "";
}

}  // namespace prof::analyzer
