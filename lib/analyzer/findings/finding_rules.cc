// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_rules.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_memory.h"
#include "lib/analyzer/findings/finding_streams.h"
#include "lib/analyzer/findings/finding_stretch.h"
#include "lib/analyzer/findings/finding_table.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

// The median time from push to pop of the outermost range that is entered again and again; 0: there
// is none. Of several the one with most time.
double IterationNs(const model::Model& model, const RangeFamilies& families) {
  std::map<uint32_t, std::vector<int64_t>> durations;
  for (const model::RangeInstance& instance : model.instances) {
    if (!instance.closed || model.paths[instance.path].parent != model::kNone) continue;
    durations[families.of_path[instance.path]].push_back(instance.end_ns - instance.start_ns);
  }
  double most_ns = 0, iteration_ns = 0;
  for (auto& [path, list] : durations) {
    const Statistic each = Summarize(list.begin(), list.end());
    const double all_ns = each.median * static_cast<double>(each.n);
    if (static_cast<double>(each.n) < kRepeats || all_ns <= most_ns) continue;
    most_ns = all_ns;
    iteration_ns = each.median;
  }
  return iteration_ns;
}

// The device on which it costs most.
template <typename Find>
MaybeFinding FindWorst(Find find, const std::vector<RunInputs>& devices) {
  MaybeFinding worst;
  for (const RunInputs& inputs : devices) {
    MaybeFinding finding = find(inputs);
    if (!finding || (worst && finding->cost_ns <= worst->cost_ns)) continue;
    if (devices.size() > 1) {
      finding->evidence.push_back("on device " + std::to_string(inputs.device.device));
    }
    worst = std::move(finding);
  }
  return worst;
}

struct Found {
  RatedFinding finding;
  bool remedy = false;

  // What is in doubt comes last.
  bool Doubtful() const { return finding.withheld || finding.confidence == Confidence::kLow; }
};

bool HasFound(const std::vector<Found>& found, std::string_view id) {
  return std::any_of(found.begin(), found.end(),
                     [id](const Found& entry) { return entry.finding.id == id; });
}

std::vector<Finding> Ordered(std::vector<Found> found) {
  double cause_ns = 0;
  for (const Found& entry : found) {
    const bool cause =
        !entry.remedy && entry.finding.kind == GainKind::kIdleTime && !entry.finding.stretch;
    if (cause) cause_ns = std::max(cause_ns, entry.finding.cost_ns);
  }
  const auto rank_ns = [cause_ns](const Found& entry) {
    const double cost_ns = entry.finding.cost_ns;
    return entry.remedy && cause_ns > 0 ? std::min(cost_ns, cause_ns) : cost_ns;
  };
  std::stable_sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
    if (a.Doubtful() != b.Doubtful()) return b.Doubtful();
    return rank_ns(a) > rank_ns(b);
  });
  std::vector<Finding> findings;
  findings.reserve(found.size());
  for (Found& entry : found) findings.emplace_back(std::move(entry.finding));
  return findings;
}

}  // namespace

std::vector<Finding> FindInRun(const model::Model& model, const Timeline& timeline,
                               const Iterations& iterations, double undisturbed_ns) {
  if (!(undisturbed_ns > 0)) return {};
  std::vector<RunInputs> devices;
  for (const DeviceTimeline& device : timeline.devices) {
    devices.push_back(GatherRunInputs(model, device, iterations, undisturbed_ns));
  }
  std::vector<Found> found;
  const auto add = [&](const FindingRule& rule, MaybeFinding finding) {
    if (!finding) return;
    finding->id = rule.text.id;
    finding->kind = rule.text.kind;
    // A bound below what the records show would be a mistake of a rule.
    finding->gain_at_most_ns = std::max(finding->gain_at_most_ns, finding->cost_ns);
    finding->gain_at_most_ns = std::clamp(finding->gain_at_most_ns, 0.0, undisturbed_ns);
    WithholdIfIncomplete(&*finding);
    if (finding->withheld) finding->cost_ns = 0;
    found.push_back({std::move(*finding), rule.remedy});
  };
  for (const FindingRule& rule : FindingRules()) {
    if (rule.find != nullptr) add(rule, FindWorst(rule.find, devices));
    if (rule.text.id == kBusiestDevice) add(rule, BusiestDevice(devices));
    if (rule.text.id != kStretchFinding) continue;
    for (const StretchCause& stretch : kStretchCauses) {
      if (HasFound(found, stretch.whole_run)) continue;
      add(rule,
          FindWorst([&](const RunInputs& inputs) { return FindIdleStretch(inputs, stretch.cause); },
                    devices));
    }
  }
  return Ordered(std::move(found));
}

std::string WhyNoFindings(const model::Model& model, const RangeFamilies& families,
                          double recorded_ns, double undisturbed_ns) {
  if (!(undisturbed_ns < recorded_ns)) return "";
  const double iteration_ns = IterationNs(model, families);
  std::string why;
  if (undisturbed_ns < kLeastUndisturbed * recorded_ns) {
    why = "that is less than " + text::Percent(kLeastUndisturbed);
  } else if (undisturbed_ns < iteration_ns) {
    why = "an iteration takes " + text::Time(iteration_ns);
  } else {
    return "";
  }
  return "prof disturbed all but " + text::Time(undisturbed_ns) + " of the " +
         text::Time(recorded_ns) + ", and " + why +
         ": a longer run, or one with --counters none, shows what is worth changing in it";
}

std::vector<std::string_view> FindingIds() {
  std::vector<std::string_view> ids;
  for (const FindingRule& rule : FindingRules()) ids.push_back(rule.text.id);
  for (const FindingRow& row : MemoryFindingRows()) ids.push_back(row.id);
  return ids;
}

}  // namespace prof::analyzer
