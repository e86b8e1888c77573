// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/inheritance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "lib/analyzer/base/thresholds.h"
#include "lib/format/triage_metrics.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using Extents = std::array<uint32_t, 3>;
using KernelKey =
    std::tuple<uint32_t, std::string_view, Extents, Extents, Extents, uint32_t, uint32_t>;

KernelKey KeyOf(const model::Model& model, const KernelGroup& group) {
  const model::Shape& shape = model.shapes[group.shape];
  return {group.device,
          shape.name,
          shape.grid,
          shape.block,
          shape.cluster,
          shape.static_shared_bytes,
          shape.dynamic_shared_bytes};
}

// Of the longer one; 1 when a duration is not known.
double DurationsApart(const KernelGroup& a, const KernelGroup& b) {
  const Statistic &one = a.launches.duration_ns, &other = b.launches.duration_ns;
  if (one.n == 0 || other.n == 0 || !(one.median > 0) || !(other.median > 0)) return 1;
  return std::abs(one.median - other.median) / std::max(one.median, other.median);
}

// The group among `candidates` that lends to `borrower`, by how many samples each has for it.
template <typename SamplesFor>
int32_t FindLender(const KernelGroups& groups, const std::vector<int32_t>& candidates,
                   size_t borrower, SamplesFor samples_for) {
  int32_t best = model::kNoIndex;
  int64_t most = 0;
  double nearest = 1;
  for (const int32_t candidate : candidates) {
    const int64_t samples = samples_for(candidate);
    const double apart = DurationsApart(groups.groups[borrower], groups.groups[candidate]);
    if (samples == 0 || apart > kSameDuration) continue;
    if (std::tuple(samples, -apart) <= std::tuple(most, -nearest)) continue;
    best = candidate;
    most = samples;
    nearest = apart;
  }
  return best;
}

int64_t SamplesOf(const ContinuousValues& values) {
  int64_t most = 0;
  for (const auto& [metric, value] : values) {
    if (value.value) most = std::max(most, value.samples);
  }
  return most;
}

// The same of a kernel with as much accuracy or more: the value of a sample with others in it says
// less than one of the kernel alone.
bool Agrees(const ContinuousValue& lent, const ContinuousValue& own) {
  return lent.value && (lent.beside.empty() || !own.beside.empty()) &&
         std::abs(*lent.value - *own.value) <= lent.error + own.error;
}

// `lender` has the use of each unit that `own` has, the same one, and of more units, from as many
// samples or more. Where `own` has nothing at all, whatever `lender` has.
bool Completes(const ContinuousValues& lender, const ContinuousValues& own) {
  const int64_t samples = SamplesOf(own);
  if (samples == 0) return SamplesOf(lender) > 0;
  if (SamplesOf(lender) < samples) return false;
  const auto is_known_unit = [](const auto& metric) {
    return metric.second.value && metric.second.error <= 100 * kSureBound &&
           format::FindTriageMetric(metric.first) != nullptr;
  };
  if (std::count_if(lender.begin(), lender.end(), is_known_unit) <=
      std::count_if(own.begin(), own.end(), is_known_unit)) {
    return false;
  }
  return std::all_of(own.begin(), own.end(), [&](const auto& metric) {
    if (!is_known_unit(metric)) return true;
    const auto lent = lender.find(metric.first);
    return lent != lender.end() && Agrees(lent->second, metric.second);
  });
}

std::string DescribeLender(const KernelLaunches& lender, int64_t samples, const char* what) {
  std::string where = lender.range.empty() ? "outside of ranges" : "under `" + lender.range + "`";
  if (lender.in_graph) where += " in a CUDA graph";
  return "the same kernel " + where + ", " +
         text::Plural(samples, what, (std::string(what) + "s").c_str());
}

}  // namespace

Inherited InheritCounters(const model::Model& model, const KernelGroups& groups,
                          const CountedKernels& counted,
                          const std::vector<ContinuousValues>& continuous) {
  Inherited result{counted, continuous, {}, {}};
  result.counters_from.resize(groups.groups.size());
  result.continuous_from.resize(groups.groups.size());
  std::map<KernelKey, std::vector<int32_t>> same;
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    const KernelGroup& group = groups.groups[g];
    if (!group.launches.whole_graph) {
      same[KeyOf(model, group)].push_back(static_cast<int32_t>(g));
    }
  }
  const auto samples = [&](int32_t g) { return counted.of_group[g].counters.samples_used; };
  const auto pm_samples = [&](int32_t g) { return SamplesOf(continuous[g]); };
  for (const auto& [key, list] : same) {
    for (const int32_t g : list) {
      if (samples(g) == 0) {
        const int32_t lender = FindLender(groups, list, g, samples);
        if (lender != model::kNoIndex) {
          CountedKernel& heir = result.counted.of_group[g];
          const int64_t rejected = heir.counters.samples_rejected;
          heir = counted.of_group[lender];
          heir.counters.samples_used = 0;
          heir.counters.samples_rejected = rejected;
          result.counters_from[g] =
              DescribeLender(groups.groups[lender].launches, samples(lender), "sample");
        }
      }
      const int32_t lender = FindLender(groups, list, g, [&](int32_t candidate) {
        return Completes(continuous[candidate], continuous[g]) ? pm_samples(candidate) : 0;
      });
      if (lender != model::kNoIndex) {
        result.continuous[g] = continuous[lender];
        result.continuous_from[g] =
            DescribeLender(groups.groups[lender].launches, pm_samples(lender), "PM sample");
      }
    }
  }
  return result;
}

}  // namespace prof::analyzer
