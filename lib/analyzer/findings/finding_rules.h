// SPDX-License-Identifier: Apache-2.0
//
// The table of findings: what is worth changing in a run. Gains are upper bounds; they overlap, so
// they do not add up. docs/guide/rules.md explains each one.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_RULES_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// By gain, descending; a remedy behind the cause of the idle time that it would remove, and what is
// withheld or of low confidence last. Each rule is decided for each device; the device where it
// costs most is reported. Gains and shares are of `undisturbed_ns`, the part of the span that prof
// left alone.
[[nodiscard]] std::vector<Finding> FindInRun(const model::Model& model, const Timeline& timeline,
                                             const Iterations& iterations, double undisturbed_ns);

// Why there can be no findings: prof disturbed nearly all of `recorded_ns`, the span without its
// pauses, or all but less than one iteration. Empty: there can be some.
[[nodiscard]] std::string WhyNoFindings(const model::Model& model, const RangeFamilies& families,
                                        double recorded_ns, double undisturbed_ns);

// Finding::id of all rules.
[[nodiscard]] std::vector<std::string_view> FindingIds();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_RULES_H_
