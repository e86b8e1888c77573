// SPDX-License-Identifier: Apache-2.0
//
// The stage "attributed": PM samples are of the whole GPU and longer than most kernels. They are
// taken apart into values of each kernel and range while it ran. docs/internals/continuous.md has
// the method.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_CONTINUOUS_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_CONTINUOUS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/continuous/other_work.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/continuous_report.h"

namespace prof::analyzer {

struct Continuous {
  std::vector<ContinuousReport> reports;         // by series
  std::vector<ContinuousValues> of_group;        // parallel to the kernel groups
  std::vector<LaunchCourse> courses;             // the same; empty ones for most
  std::map<uint32_t, ContinuousValues> of_path;  // the first path of each family
  ContinuousValues idle;
  std::vector<OtherWork> other_work;  // by device; none where all work is in the recording
};

// Linear in samples and operations.
[[nodiscard]] Continuous AttributeContinuous(const model::Model& model,
                                             const RangeFamilies& families,
                                             const Timeline& timeline, const KernelGroups& groups);

// The DRAM's throughput in percent of its peak: from the metric of reads and writes together, or
// from the sum of the two. Null when there is no value.
struct ContinuousDram {
  ContinuousValue value;
  std::string metric;  // or "a + b"
};
[[nodiscard]] std::optional<ContinuousDram> FindContinuousDram(const ContinuousValues& values);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_CONTINUOUS_H_
