// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/regions/region_work.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace prof::analyzer {
namespace {

using model::CounterSample;
using model::kNoIndex;
using model::LaunchKey;
using model::Model;
using model::Op;
using model::SampleUnit;

// Operations come in the order of their starts.
void AddOp(const Op& op, int32_t index, const KernelGroups& groups, RegionRun* run,
           RegionWork* region) {
  run->disturbed |= op.sampled;
  if (!op.timed) return;
  if (run->ops == 0) {
    run->device = op.device;
    run->first_op = index;
    run->start_ns = run->end_ns = op.start_ns;
  }
  ++run->ops;
  run->busy_ns += std::max<int64_t>(0, op.end_ns - std::max(op.start_ns, run->end_ns));
  run->end_ns = std::max(run->end_ns, op.end_ns);
  const int32_t part =
      RunsKernels(op) ? groups.group_of_op[index]
                      : -1 - (static_cast<int32_t>(op.kind) << 8 | static_cast<int32_t>(op.copy));
  RegionOps& ops = region->parts[part];
  ops.example = index;
  ++ops.count;
  ops.time_ns += op.end_ns - op.start_ns;
}

// --- Graphs --------------------------------------------------------------------------------------

// A graph and where it was launched. Its child graphs have ids of their own, larger ones.
using GraphKey = std::pair<uint32_t, uint32_t>;  // graph id, first path of the family

// The graph of each launch, by its recorded operations.
class GraphLaunches {
 public:
  GraphLaunches(const Model& model, const RangeFamilies& families)
      : model_(model), families_(families) {
    for (const Op& op : model.ops) {
      if (op.graph == 0) continue;
      const auto [it, added] = graphs_.try_emplace(LaunchKey(op.context, op.correlation), op.graph);
      it->second = std::min(it->second, op.graph);
    }
  }
  bool Contains(uint64_t launch) const { return graphs_.count(launch) != 0; }
  // `op`: an operation of a launch that is contained.
  GraphKey KeyOf(const Op& op) const {
    const auto it = graphs_.find(LaunchKey(op.context, op.correlation));
    return {it == graphs_.end() ? 0 : it->second, families_.of_path[model_.LaunchPath(op)]};
  }

 private:
  const Model& model_;
  const RangeFamilies& families_;
  std::unordered_map<uint64_t, uint32_t> graphs_;
};

// A run of a region, by indices.
struct RunOfLaunch {
  size_t region = 0;
  int32_t run = kNoIndex;
};

// Adds the operations of each launch to its run.
std::unordered_map<uint64_t, RunOfLaunch> AddRuns(const Model& model, const KernelGroups& groups,
                                                  const GraphLaunches& launches,
                                                  const std::map<GraphKey, size_t>& known,
                                                  std::vector<RegionWork>* regions) {
  std::unordered_map<uint64_t, RunOfLaunch> run_of_launch;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op& op = model.ops[i];
    const uint64_t launch = LaunchKey(op.context, op.correlation);
    if (!launches.Contains(launch)) continue;
    const auto found = known.find(launches.KeyOf(op));
    if (found == known.end()) continue;
    RegionWork& region = (*regions)[found->second];
    const auto [run, added] = run_of_launch.try_emplace(
        launch, RunOfLaunch{found->second, static_cast<int32_t>(region.runs.size())});
    if (added) region.runs.emplace_back();
    // In a damaged file the operations of one launch may be in several ranges.
    if (run->second.region != found->second) continue;
    AddOp(op, static_cast<int32_t>(i), groups, &region.runs[run->second.run], &region);
  }
  return run_of_launch;
}

FoundRegions FindGraphs(const Model& model, const RangeFamilies& families,
                        const KernelGroups& groups) {
  FoundRegions found;
  const bool any =
      std::any_of(model.samples.begin(), model.samples.end(),
                  [](const CounterSample& sample) { return sample.unit == SampleUnit::kGraph; });
  if (!any) return found;
  const GraphLaunches launches(model, families);
  std::map<GraphKey, size_t> known;
  for (const CounterSample& sample : model.samples) {
    if (sample.unit != SampleUnit::kGraph) continue;
    if (!launches.Contains(LaunchKey(sample.context, sample.correlation))) {
      ++found.samples_without_graph;
      continue;
    }
    const GraphKey key = launches.KeyOf(model.ops[model.graph_ops[sample.first_graph_op]]);
    const auto [it, added] = known.try_emplace(key, found.regions.size());
    if (added) {
      RegionWork& region = found.regions.emplace_back();
      region.graph = key.first;
      region.path = key.second;
    }
    found.regions[it->second].samples.push_back({&sample, kNoIndex});
  }
  const auto run_of_launch = AddRuns(model, groups, launches, known, &found.regions);
  for (size_t i = 0; i < found.regions.size(); ++i) {
    for (RegionSample& entry : found.regions[i].samples) {
      const auto run =
          run_of_launch.find(LaunchKey(entry.sample->context, entry.sample->correlation));
      if (run != run_of_launch.end() && run->second.region == i) entry.run = run->second.run;
    }
  }
  return found;
}

// --- Ranges --------------------------------------------------------------------------------------

// The instances of one family, by thread and start. Instances of one thread do not overlap.
class Instances {
 public:
  Instances(const Model& model, const RangeFamilies& families, uint32_t family)
      : by_thread_(model.threads.size()) {
    for (const model::RangeInstance& instance : model.instances) {
      if (families.of_path[instance.path] != family) continue;
      by_thread_[instance.thread].push_back({instance, count_++});
    }
  }
  struct Entry {
    model::RangeInstance instance;
    int32_t number = kNoIndex;
  };
  int32_t count() const { return count_; }
  const std::vector<std::vector<Entry>>& by_thread() const { return by_thread_; }
  // The instance in which `thread` was at `time_ns`.
  Entry At(uint32_t thread, int64_t time_ns) const {
    const std::vector<Entry>& entries = by_thread_[thread];
    auto it = std::upper_bound(
        entries.begin(), entries.end(), time_ns,
        [](int64_t time, const Entry& entry) { return time < entry.instance.start_ns; });
    if (it == entries.begin()) return {};
    --it;
    return time_ns <= it->instance.end_ns ? *it : Entry{};
  }
  // The instance that `sample` was taken from: counters run from after the push to before the pop.
  int32_t Of(const CounterSample& sample) const {
    for (uint32_t thread = 0; thread < by_thread_.size(); ++thread) {
      const Entry entry = At(thread, sample.begin_ns);
      if (entry.number == kNoIndex || entry.instance.path != sample.path) continue;
      if (sample.end_ns <= entry.instance.end_ns) return entry.number;
    }
    return kNoIndex;
  }

 private:
  std::vector<std::vector<Entry>> by_thread_;
  int32_t count_ = 0;
};

RegionWork FindRange(const Model& model, const RangeFamilies& families, const KernelGroups& groups,
                     uint32_t family) {
  RegionWork region;
  region.path = family;
  const Instances instances(model, families, family);
  region.runs.resize(static_cast<size_t>(instances.count()));
  for (const auto& entries : instances.by_thread()) {
    for (const Instances::Entry& entry : entries) {
      RegionRun& run = region.runs[entry.number];
      run.host_start_ns = entry.instance.start_ns;
      run.host_end_ns = entry.instance.end_ns;
      run.disturbed = !entry.instance.closed;
    }
  }
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op& op = model.ops[i];
    if (op.api == kNoIndex) continue;
    const model::ApiCall& call = model.api_calls[op.api];
    const int32_t number = instances.At(call.thread, call.start_ns).number;
    if (number != kNoIndex) {
      AddOp(op, static_cast<int32_t>(i), groups, &region.runs[number], &region);
    }
  }
  for (const CounterSample& sample : model.samples) {
    if (sample.unit != SampleUnit::kRange || families.of_path[sample.path] != family) continue;
    const int32_t run = instances.Of(sample);
    if (run != kNoIndex) region.runs[run].disturbed = true;
    region.samples.push_back({&sample, run});
  }
  return region;
}

// --- Both ----------------------------------------------------------------------------------------

// A run is alone when all operations that start during it are its own, and none before runs into
// it.
void FindAlone(const Model& model, std::vector<RegionWork>* regions) {
  if (regions->empty()) return;
  std::vector<int64_t> busy_until_ns(model.ops.size());  // by earlier ones on the same device
  std::unordered_map<uint32_t, int64_t> devices;
  for (size_t i = 0; i < model.ops.size() && model.ops[i].timed; ++i) {
    const auto [until, added] = devices.try_emplace(model.ops[i].device, INT64_MIN);
    busy_until_ns[i] = until->second;
    until->second = std::max(until->second, model.ops[i].end_ns);
  }
  for (RegionWork& region : *regions) {
    for (RegionSample& sample : region.samples) {
      if (sample.run == kNoIndex) continue;
      const RegionRun& run = region.runs[sample.run];
      if (run.ops == 0) continue;
      int64_t started = 0;
      for (size_t i = run.first_op; i < model.ops.size() && model.ops[i].timed; ++i) {
        const Op& op = model.ops[i];
        if (op.start_ns > run.end_ns || (op.start_ns == run.end_ns && started >= run.ops)) break;
        started += op.device == run.device ? 1 : 0;
      }
      sample.alone = started == run.ops && busy_until_ns[run.first_op] <= run.start_ns;
    }
  }
}

}  // namespace

FoundRegions FindRegionWork(const Model& model, const RangeFamilies& families,
                            const KernelGroups& groups) {
  FoundRegions found = FindGraphs(model, families, groups);
  std::vector<uint32_t> ranges;
  for (const CounterSample& sample : model.samples) {
    if (sample.unit == SampleUnit::kRange) ranges.push_back(families.of_path[sample.path]);
  }
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  for (const uint32_t family : ranges) {
    found.regions.push_back(FindRange(model, families, groups, family));
  }
  FindAlone(model, &found.regions);
  return found;
}

}  // namespace prof::analyzer
