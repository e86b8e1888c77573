// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/counters.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/kernels/samples.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::CounterSample;
using model::kNoIndex;
using model::Model;

double DurationOf(const model::Op& op) {
  return op.timed && !op.untraced ? static_cast<double>(op.end_ns - op.start_ns) : 0;
}

// Operations that ran alone on their device, parallel to Model::ops.
std::vector<bool> RanAlone(const Model& model) {
  struct Last {
    int32_t op = kNoIndex;
    int64_t covered_until_ns = 0;
  };
  std::vector<bool> alone(model.ops.size());
  std::unordered_map<uint32_t, Last> devices;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op& op = model.ops[i];
    if (op.untraced) alone[i] = true;  // a counter range waits for the GPU before and after it
    if (!op.timed) continue;           // they are last; the work beside them is not known
    Last& last = devices[op.device];
    alone[i] = last.op == kNoIndex || op.start_ns >= last.covered_until_ns;
    // Starts are sorted: an operation that overlaps any later one overlaps the next one.
    if (last.op != kNoIndex && op.start_ns < model.ops[last.op].end_ns) alone[last.op] = false;
    last.covered_until_ns =
        last.op == kNoIndex ? op.end_ns : std::max(last.covered_until_ns, op.end_ns);
    last.op = static_cast<int32_t>(i);
  }
  return alone;
}

std::vector<double> ShareAlone(const Model& model, const KernelGroups& groups,
                               const std::vector<bool>& alone) {
  std::vector<double> launches(groups.groups.size()), share(groups.groups.size());
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op& op = model.ops[i];
    const int32_t group = groups.group_of_op[i];
    if (group == kNoIndex || !op.timed || op.untraced || op.sampled) continue;
    ++launches[group];
    if (alone[i]) ++share[group];
  }
  for (size_t g = 0; g < share.size(); ++g) share[g] = launches[g] > 0 ? share[g] / launches[g] : 1;
  return share;
}

}  // namespace

CountedKernels CountKernels(const Model& model, const KernelGroups& groups) {
  CountedKernels result;
  result.of_group.resize(groups.groups.size());
  if (model.samples.empty()) return result;
  const std::vector<bool> alone = RanAlone(model);
  result.alone = ShareAlone(model, groups, alone);
  std::vector<std::vector<WorkSample>> samples(groups.groups.size());
  std::vector<int64_t> overlapped(groups.groups.size());
  std::vector<int64_t> older(groups.groups.size());
  for (size_t i = 0; i < model.samples.size(); ++i) {
    const CounterSample& sample = model.samples[i];
    if (sample.unit != model::SampleUnit::kKernel) continue;  // a sample of a region
    if (sample.op == kNoIndex) {
      const auto at = groups.group_of_older.find(i);
      if (at != groups.group_of_older.end()) {
        samples[at->second].push_back({&sample, static_cast<double>(sample.duration_ns)});
        ++older[at->second];
      } else if (sample.shape == 0) {
        ++result.without_kernel;
      }
      continue;
    }
    const int32_t group = groups.group_of_op[sample.op];
    if (alone[sample.op]) {
      samples[group].push_back({&sample, DurationOf(model.ops[sample.op])});
    } else {
      ++overlapped[group];
    }
  }
  const SampleCombiner combiner(model);
  for (size_t g = 0; g < samples.size(); ++g) {
    const KernelGroup& group = groups.groups[g];
    CombinedSamples combined = combiner.Combine(samples[g], model.FindDevice(group.device));
    Measured& counters = result.of_group[g].counters;
    counters.units = FindUnits(combined.metrics, MayUseShared(group.launches));
    counters.metrics = std::move(combined.metrics);
    counters.clock = std::move(combined.clock);
    counters.speed_of_light = std::move(combined.speed_of_light);
    counters.samples_used = combined.used;
    counters.samples_rejected = overlapped[g] + combined.at_other_clock;
    result.of_group[g].notes = std::move(combined.notes);
    if (older[g] > 0) {
      result.of_group[g].notes.push_back(text::Count(older[g]) + " of its counter samples are of " +
                                         "launches before the seconds that are kept.");
    }
  }
  return result;
}

}  // namespace prof::analyzer
