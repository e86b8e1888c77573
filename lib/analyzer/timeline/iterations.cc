// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/iterations.h"

#include <cstdint>
#include <map>
#include <utility>

namespace prof::analyzer {
namespace {

using model::RangeInstance;
using ThreadAndFamily = std::pair<uint32_t, uint32_t>;

struct Family {
  size_t instances = 0;
  double time_ns = 0;
};

}  // namespace

std::vector<RangeInstance> FindIterations(const model::Model& model, const RangeFamilies& families,
                                          size_t least) {
  std::map<ThreadAndFamily, Family> counted;
  for (const RangeInstance& instance : model.instances) {
    if (!instance.closed) continue;
    Family& family = counted[{instance.thread, families.of_path[instance.path]}];
    ++family.instances;
    family.time_ns += static_cast<double>(instance.end_ns - instance.start_ns);
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
  const std::pair<const ThreadAndFamily, Family>* best = nullptr;
  for (const auto& entry : counted) {
    if (entry.second.instances < least || !outermost(entry.first)) continue;
    if (best == nullptr || entry.second.time_ns > best->second.time_ns) best = &entry;
  }
  std::vector<RangeInstance> iterations;
  if (best == nullptr) return iterations;
  iterations.reserve(best->second.instances);
  for (const RangeInstance& instance : model.instances) {
    if (!instance.closed || instance.thread != best->first.first) continue;
    if (families.of_path[instance.path] == best->first.second) iterations.push_back(instance);
  }
  return iterations;
}

}  // namespace prof::analyzer
