// SPDX-License-Identifier: Apache-2.0
//
// The verdict on a counted region. A unit that is busy through all of its work limits it as a
// whole. If none is, its kernels may have limits of their own, which the sum of their counters does
// not show.
#ifndef PROF_LIB_ANALYZER_RULES_VERDICT_REGION_H_
#define PROF_LIB_ANALYZER_RULES_VERDICT_REGION_H_

#include <string>
#include <vector>

#include "lib/analyzer/rules/verdict_table.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// `notes`: on values that were read and not used. `device` may be null.
[[nodiscard]] Verdict DecideRegion(const RegionInstances& instances, const Measured& counters,
                                   const model::Device* device, std::vector<std::string> notes);

// The rules that only regions have, before and after those that name a unit.
[[nodiscard]] std::vector<VerdictRow> RegionRows();

// "the graph as a whole: DRAM 34 % of peak (n=5), tensor 61 %"
[[nodiscard]] std::string DescribeRegion(const RegionReport& region);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICT_REGION_H_
