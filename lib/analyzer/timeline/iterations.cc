// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/iterations.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::RangeInstance;
using ThreadAndFamily = std::pair<uint32_t, uint32_t>;

struct CountedFamily {
  size_t instances = 0;
  double time_ns = 0;
};

// Of the instances in `table` whose path `counts`.
template <typename Counts>
Iterations FindIn(const model::InstanceTable& table, const model::Model& model,
                  const RangeFamilies& families, size_t least, const Counts& counts) {
  std::map<ThreadAndFamily, CountedFamily> counted;
  // Most instances are as the one before.
  std::pair<const ThreadAndFamily, CountedFamily>* last = nullptr;
  for (const RangeInstance& instance : table) {
    if (!instance.closed || !counts(model.paths[instance.path])) continue;
    const ThreadAndFamily key{instance.thread, families.of_path[instance.path]};
    if (last == nullptr || last->first != key) last = &*counted.try_emplace(key).first;
    ++last->second.instances;
    last->second.time_ns += static_cast<double>(instance.end_ns - instance.start_ns);
  }
  const auto repeats = [&](uint32_t thread, uint32_t path) {
    const auto at = counted.find({thread, families.of_path[path]});
    return at != counted.end() && at->second.instances >= least;
  };
  const auto outermost = [&](const ThreadAndFamily& key) {
    for (uint32_t path = model.paths[key.second].parent; path != model::kNone;
         path = model.paths[path].parent) {
      if (repeats(key.first, path)) return false;
    }
    return true;
  };
  const std::pair<const ThreadAndFamily, CountedFamily>* best = nullptr;
  for (const auto& entry : counted) {
    if (entry.second.instances < least || !outermost(entry.first)) continue;
    if (best == nullptr || entry.second.time_ns > best->second.time_ns) best = &entry;
  }
  if (best == nullptr) return {};
  std::vector<uint32_t> rows;
  rows.reserve(best->second.instances);
  uint32_t row = 0;
  for (const RangeInstance& instance : table) {
    const bool belongs = instance.closed && instance.thread == best->first.first &&
                         families.of_path[instance.path] == best->first.second;
    if (belongs) rows.push_back(row);
    ++row;
  }
  return {table, std::move(rows)};
}

}  // namespace

Iterations::Iterations(std::shared_ptr<const model::InstanceTable> turns, size_t launches)
    : turns_(std::move(turns)),
      instances_(turns_.get()),
      rows_(turns_->size()),
      launches_(launches) {
  std::iota(rows_.begin(), rows_.end(), uint32_t{0});
}

std::string Iterations::LaunchesName() const {
  if (!by_launches()) return "";
  return text::Plural(static_cast<int64_t>(launches_), "launch that repeats",
                      "launches that repeat");
}

Iterations FindIterations(const model::Model& model, const RangeFamilies& families, size_t least) {
  return FindIn(model.instances, model, families, least,
                [](const model::RangePath&) { return true; });
}

Iterations TurnsOf(const LaunchStretch& stretch) {
  auto turns = std::make_shared<model::InstanceTable>();
  for (const Interval& turn : stretch.turns) {
    turns->push_back({model::kNone, stretch.thread, turn.start_ns, turn.end_ns, true});
  }
  return {std::move(turns), stretch.launches};
}

Iterations FindTorchIterations(const model::Model& model, const RangeFamilies& families) {
  return FindIn(model.torch.instances, model, families, static_cast<size_t>(kEnoughSteps),
                [](const model::RangePath& path) {
                  return path.torch == model::TorchScope::kModule ||
                         path.torch == model::TorchScope::kUser;
                });
}

Iterations FindRunIterations(const model::Model& model, const RangeFamilies& families) {
  Iterations ranges = FindIterations(model, families, static_cast<size_t>(kEnoughSteps));
  if (!ranges.empty()) return ranges;
  const std::vector<LaunchStretch> stretches = FindLaunchStretches(model);
  return stretches.empty() ? Iterations() : TurnsOf(stretches.front());
}

}  // namespace prof::analyzer
