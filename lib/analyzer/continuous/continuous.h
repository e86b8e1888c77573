// SPDX-License-Identifier: Apache-2.0
//
// PM samples are of the whole GPU and longer than most kernels; this takes them apart into what
// each kernel and each range did while it ran. docs/continuous.md has the method.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_CONTINUOUS_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_CONTINUOUS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

struct Continuous {
  std::vector<ContinuousReport> reports;         // by series
  std::map<uint32_t, ContinuousValues> of_path;  // the first path of each family
  ContinuousValues idle;
};

// Fills in KernelReport::continuous of the groups. Linear in samples and operations.
Continuous AttributeContinuous(const model::Model& model, const RangeFamilies& families,
                               const Timeline& timeline, KernelGroups* groups);

// By CUPTI's name: its values are percentages, and 100 is the most that they can be.
bool IsPercentMetric(std::string_view metric);

// The DRAM's throughput in percent of its peak, by whichever metrics there are: the one of reads
// and writes together, or the sum of the two. Null when there is no value.
struct ContinuousDram {
  double percent = 0, error = 0;
  std::string metric;  // or "a + b"
};
std::optional<ContinuousDram> FindContinuousDram(const ContinuousValues& values);

// "DRAM 83.1 +-1.2 %", for a line of a table; empty when there is no value.
std::string DescribeContinuous(const ContinuousValues& values);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_CONTINUOUS_H_
