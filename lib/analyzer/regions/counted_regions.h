// SPDX-License-Identifier: Apache-2.0
//
// Counted regions are CUDA graphs and NVTX ranges whose counters were read as a whole. This stage
// computes their times, parts and metrics.
#ifndef PROF_LIB_ANALYZER_REGIONS_COUNTED_REGIONS_H_
#define PROF_LIB_ANALYZER_REGIONS_COUNTED_REGIONS_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

struct CountedRegion {
  RegionInstances instances;
  Measured counters;
  std::vector<std::string> notes;  // sentences on values that were read and not used
};

struct CountedRegions {
  std::vector<CountedRegion> regions;  // by total time, descending
  // By kernel group: the region with most of its time, or kNoIndex.
  std::vector<int32_t> of_group;
  // By the first path of a family: the region with most time of that path.
  std::unordered_map<uint32_t, int32_t> of_path;
  int64_t without_work = 0;  // samples without any recorded operation
};

[[nodiscard]] CountedRegions CountRegions(const model::Model& model, const RangeFamilies& families,
                                          const KernelGroups& groups);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_REGIONS_COUNTED_REGIONS_H_
