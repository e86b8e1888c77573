// SPDX-License-Identifier: Apache-2.0
//
// What limits several kernels that were counted together. A unit that is busy through all of them
// limits them as a whole; if none is, the kernels may well have limits of their own, which the sum
// of their counters does not show.
#include <string>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/regions/counted_regions.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_inputs.h"
#include "lib/analyzer/rules/rules.h"
#include "lib/analyzer/rules/thresholds.h"
#include "lib/analyzer/rules/verdicts.h"

namespace prof::analyzer {
namespace {

std::string Subject(const WholeReport& whole) {
  return whole.kind == WholeReport::Kind::kGraph ? "The graph" : "The range";
}

void FillNotMeasured(const WholeReport& whole, Verdict* verdict) {
  verdict->limiter = Limiter::kNotMeasured;
  verdict->rule = "not-measured";
  verdict->summary = "No counters were read for it.";
  verdict->missing = "a usable sample: of " +
                     Plural(static_cast<uint64_t>(whole.samples_rejected + whole.samples_used),
                            "sample", "samples") +
                     " none had a value, or other GPU work ran beside all of them";
}

void FillNoUnit(const WholeReport& whole, const Facts& facts, Verdict* verdict) {
  verdict->limiter = Limiter::kUnknown;
  verdict->rule = "whole-no-unit";
  verdict->confidence = Confidence::kLow;
  verdict->summary = Subject(whole) + " keeps no unit of the GPU busy as a whole";
  if (!facts.units.empty()) verdict->summary += ": the busiest is " + Use(facts.units.front());
  verdict->summary += ".";
  for (size_t i = 0; i < facts.units.size() && i < 3; ++i) SayUnit(facts, facts.units[i], verdict);
  verdict->missing = !facts.unknown.empty()
                         ? "the use of " + Join(facts.unknown) + " (tier T1)"
                         : "counters of its kernels one by one: each may have a limit of its own";
  if (facts.unknown.empty() && whole.kind == WholeReport::Kind::kGraph) {
    verdict->missing += "; they can be had by launching them without the graph";
  }
}

}  // namespace

Verdict JudgeWhole(const WholeReport& whole, const model::Device* device) {
  KernelReport kernel = AsKernel(whole);
  // Whether its kernels use shared memory is not known: the L1 data path may then be either.
  kernel.dynamic_shared_bytes = 1;
  const Facts facts = GatherFacts(kernel, device);
  Verdict verdict;
  if (!facts.measured) {
    FillNotMeasured(whole, &verdict);
  } else if (JudgeUnits(facts, &verdict)) {
    verdict.summary = "As a whole: " + verdict.summary;
  } else {
    FillNoUnit(whole, facts, &verdict);
  }
  if (!facts.unstable.empty()) verdict.notes.push_back("unstable: " + Join(facts.unstable));
  return verdict;
}

}  // namespace prof::analyzer
