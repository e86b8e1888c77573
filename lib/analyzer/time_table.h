// SPDX-License-Identifier: Apache-2.0
//
// The time table is the first table of the report: where the span went, by innermost NVTX range.
#ifndef PROF_LIB_ANALYZER_TIME_TABLE_H_
#define PROF_LIB_ANALYZER_TIME_TABLE_H_

#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/continuous/continuous.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/regions/counted_regions.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// The values of the other stages that the table is made of.
struct TimeTableInputs {
  const RangeFamilies& families;
  const Timeline& timeline;
  const KernelGroups& groups;
  const std::vector<KernelReport>& kernels;  // parallel to the groups
  const CountedRegions& counted_regions;
  const std::vector<RegionReport>& regions;  // parallel to the counted ones
  const Continuous& continuous;
  const std::vector<GapSummary>& gaps;
  const std::vector<Finding>& findings;
  double undisturbed_ns = 0;
  double profiler_ns = 0;  // the rest of the span
  double paused_ns = 0;    // of that
};

// In the order of first appearance on the timeline, then the gaps, then what prof disturbed. Times
// sum to the span exactly: they are whole nanoseconds.
[[nodiscard]] std::vector<RangeRow> BuildRows(const model::Model& model,
                                              const TimeTableInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIME_TABLE_H_
