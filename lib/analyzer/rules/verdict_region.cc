// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_region.h"

#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_inputs.h"
#include "lib/analyzer/rules/verdict_rules.h"
#include "lib/analyzer/rules/verdict_table.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

// Of a region, before and after the rules that name a unit.
constexpr VerdictRow kNotCounted = {"not-measured",
                                    Limiter::kNotMeasured,
                                    "no counters of it were read, or none of them has a value",
                                    "–",
                                    "–",
                                    "the verdict of one of its kernels"};
constexpr VerdictRow kNoUnit = {"region-no-unit",
                                Limiter::kUnknown,
                                "no rule about a unit matches",
                                "three busiest units",
                                "–",
                                "the verdict of a region printed as that of each kernel in it"};

void Name(const VerdictRow& row, Verdict* verdict) {
  verdict->limiter = row.limiter;
  verdict->rule = row.id;
}

bool IsGraph(const RegionInstances& region) { return region.kind == RegionInstances::Kind::kGraph; }

void FillNotCounted(const Measured& counters, Verdict* verdict) {
  Name(kNotCounted, verdict);
  verdict->summary = "No counters were read for it.";
  verdict->missing =
      "a usable sample: of " +
      text::Plural(counters.samples_rejected + counters.samples_used, "sample", "samples") +
      " none had a value, or other GPU work ran beside all of them";
}

void FillNoUnit(const RegionInstances& region, const RuleInputs& inputs, Verdict* verdict) {
  Name(kNoUnit, verdict);
  AddDoubt("nothing-stands-out", "each of its kernels may have a limit of its own", verdict);
  SetConfidence(verdict);
  verdict->summary = std::string(IsGraph(region) ? "The graph" : "The range") +
                     " keeps no unit of the GPU busy as a whole";
  if (!inputs.units().empty()) {
    verdict->summary += ": the busiest is " + DescribeUse(inputs.units().front());
  }
  verdict->summary += ".";
  AddBusiestUnits(inputs, verdict);
  verdict->missing = !inputs.unknown.empty()
                         ? MissingUses(inputs)
                         : "counters of its kernels one by one: each may have a limit of its own";
  if (inputs.unknown.empty() && IsGraph(region)) {
    verdict->missing += "; launch them without the graph to get these";
  }
}

}  // namespace

Verdict DecideRegion(const RegionInstances& instances, const Measured& counters,
                     const model::Device* device, std::vector<std::string> notes) {
  const RuleInputs inputs = GatherInputs(instances, counters, device);
  Verdict verdict;
  if (!inputs.measured) {
    FillNotCounted(counters, &verdict);
  } else if (DecideUnits(inputs, &verdict)) {
    verdict.summary = "As a whole: " + verdict.summary;
    verdict.decided = true;
  } else {
    FillNoUnit(instances, inputs, &verdict);
  }
  if (!inputs.unstable.empty())
    verdict.notes.push_back("unstable: " + text::Enumerate(inputs.unstable));
  verdict.notes.insert(verdict.notes.end(), notes.begin(), notes.end());
  return verdict;
}

std::vector<VerdictRow> RegionRows() { return {kNotCounted, kNoUnit}; }

std::string DescribeRegion(const RegionReport& region) {
  const std::string what = IsGraph(region) ? "the graph" : "the range " + region.label;
  const std::string busiest = BusiestUnits(region.units);
  return what + " as a whole: " + (busiest.empty() ? "no usable sample" : busiest);
}

}  // namespace prof::analyzer
