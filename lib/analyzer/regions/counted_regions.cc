// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/regions/counted_regions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/kernels/samples.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/regions/region_work.h"
#include "lib/analyzer/timeline/copies.h"
#include "lib/format/metric_names.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Model;

// The time that the counters of a region are related to. The operations of a graph follow each
// other by themselves, so the time between them is the graph's. The time between those of a range
// is the host's, and while counters run there is more of it than otherwise.
int64_t WorkNs(const RegionWork& work, const RegionRun& run) {
  return work.graph != 0 ? run.end_ns - run.start_ns : run.busy_ns;
}

void AddTimes(const RegionWork& work, RegionInstances* region) {
  const bool undisturbed =
      std::any_of(work.runs.begin(), work.runs.end(),
                  [](const RegionRun& run) { return run.ops > 0 && !run.disturbed; });
  std::vector<int64_t> work_ns, host_ns;
  for (const RegionRun& run : work.runs) {
    if (run.ops == 0) continue;
    ++region->instances;
    region->device = run.device;
    region->total_ns += static_cast<double>(WorkNs(work, run));
    if (undisturbed && run.disturbed) continue;
    work_ns.push_back(WorkNs(work, run));
    if (work.graph == 0) host_ns.push_back(run.host_end_ns - run.host_start_ns);
  }
  region->duration_ns = Summarize(work_ns.begin(), work_ns.end());
  region->host_ns = Summarize(host_ns.begin(), host_ns.end());
}

std::vector<RegionPart> FindParts(const Model& model, const KernelGroups& groups,
                                  const RegionWork& work, int64_t instances) {
  std::map<std::string, RegionPart> parts;  // a kernel's signatures are one part: their sum
  double all_ns = 0;
  for (const auto& [part, ops] : work.parts) {
    const model::Op& op = model.ops[ops.example];
    std::string name = "memset";
    if (part >= 0) {
      name = groups.groups[part].launches.name;
    } else if (op.kind == model::OpKind::kCopy) {
      name = "copy, " + DirectionName(op.copy);
    }
    RegionPart& entry = parts[name];
    entry.per_instance += static_cast<double>(ops.count);
    entry.time_ns += static_cast<double>(ops.time_ns);
    all_ns += static_cast<double>(ops.time_ns);
  }
  const auto count = static_cast<double>(std::max<int64_t>(1, instances));
  std::vector<RegionPart> result;
  for (auto& [name, part] : parts) {
    part.name = name;
    part.share = all_ns > 0 ? part.time_ns / all_ns : 0;
    part.per_instance /= count;
    part.time_ns /= count;
    result.push_back(std::move(part));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const RegionPart& a, const RegionPart& b) { return a.time_ns > b.time_ns; });
  return result;
}

// Without a recorded operation the time of the work is not known.
bool HasWork(const RegionWork& work, const RegionSample& sample) {
  return sample.run != kNoIndex && work.runs[sample.run].ops > 0;
}

Statistic CountedTime(const Model& model, const RegionWork& work) {
  std::vector<double> windows_ns;
  for (const RegionSample& sample : work.samples) {
    const double window_ns = ValueOf(model, *sample.sample, format::kWindowMetric);
    if (std::isfinite(window_ns)) windows_ns.push_back(window_ns);
  }
  return Summarize(windows_ns.begin(), windows_ns.end());
}

void AddCounters(const Model& model, const SampleCombiner& combiner, const RegionWork& work,
                 CountedRegion* region) {
  std::vector<WorkSample> samples;
  for (const RegionSample& sample : work.samples) {
    if (!HasWork(work, sample) || !sample.alone) continue;
    samples.push_back({sample.sample, static_cast<double>(WorkNs(work, work.runs[sample.run]))});
  }
  CombinedSamples combined = combiner.Combine(samples, model.FindDevice(region->instances.device));
  Measured& counters = region->counters;
  counters.units = FindUnits(combined.metrics, true);
  counters.metrics = std::move(combined.metrics);
  counters.clock = std::move(combined.clock);
  counters.speed_of_light = std::move(combined.speed_of_light);
  counters.samples_used = combined.used;
  counters.samples_rejected =
      static_cast<int64_t>(work.samples.size() - samples.size()) + combined.at_other_clock;
  region->notes = std::move(combined.notes);
}

CountedRegion Count(const Model& model, const RangeFamilies& families, const KernelGroups& groups,
                    const SampleCombiner& combiner, const RegionWork& work) {
  CountedRegion region;
  RegionInstances& instances = region.instances;
  instances.graph = work.graph;
  instances.range = families.label[work.path];
  if (work.graph == 0) {
    instances.kind = RegionInstances::Kind::kRange;
    instances.label = instances.range;
  } else {
    instances.label = "CUDA graph " + std::to_string(work.graph);
    if (!instances.range.empty()) instances.label += " in " + instances.range;
  }
  AddTimes(work, &instances);
  instances.parts = FindParts(model, groups, work, instances.instances);
  instances.counted_ns = CountedTime(model, work);
  AddCounters(model, combiner, work, &region);
  return region;
}

}  // namespace

CountedRegions CountRegions(const Model& model, const RangeFamilies& families,
                            const KernelGroups& groups) {
  CountedRegions result;
  result.of_group.resize(groups.groups.size(), kNoIndex);
  const FoundRegions found = FindRegionWork(model, families, groups);
  result.without_work = found.samples_without_graph;
  if (found.regions.empty()) return result;
  const SampleCombiner combiner(model);
  std::vector<std::pair<CountedRegion, const RegionWork*>> counted;
  counted.reserve(found.regions.size());
  for (const RegionWork& work : found.regions) {
    counted.emplace_back(Count(model, families, groups, combiner, work), &work);
    for (const RegionSample& sample : work.samples) {
      result.without_work += HasWork(work, sample) ? 0 : 1;
    }
  }
  std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) {
    return a.first.instances.total_ns > b.first.instances.total_ns;
  });
  std::vector<int64_t> most_ns(groups.groups.size(), -1);
  for (auto& [region, work] : counted) {
    const auto index = static_cast<int32_t>(result.regions.size());
    for (const auto& [part, ops] : work->parts) {
      if (part < 0 || ops.time_ns <= most_ns[part]) continue;
      most_ns[part] = ops.time_ns;
      result.of_group[part] = index;
    }
    result.of_path.try_emplace(work->path, index);  // the one with most time comes first
    result.regions.push_back(std::move(region));
  }
  return result;
}

}  // namespace prof::analyzer
