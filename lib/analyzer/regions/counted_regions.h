// SPDX-License-Identifier: Apache-2.0
//
// Report::wholes: graphs and ranges whose counters were read together.
#ifndef PROF_LIB_ANALYZER_REGIONS_COUNTED_REGIONS_H_
#define PROF_LIB_ANALYZER_REGIONS_COUNTED_REGIONS_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

struct Wholes {
  std::vector<WholeReport> reports;  // by total time, descending; without shares
  std::vector<int32_t> of_group;  // by kernel group: the whole with most of its time, or kNoIndex
  std::unordered_map<uint32_t, int32_t> of_path;  // by first path of a family: the same
  int64_t without_work = 0;                       // samples of which no operation was recorded
};

Wholes BuildWholes(const model::Model& model, const RangeFamilies& families,
                   const KernelGroups& groups);

// "the CUDA graph as a whole: DRAM 34 % of peak (n=5), tensor 61 %"
std::string DescribeWhole(const WholeReport& whole);

// The two busiest units of the GPU, with n: "DRAM 91 % of peak (n=3), L2 23 %"; empty when none was
// measured.
std::string BusiestUnits(const KernelReport& kernel);

// A whole in the shape of a kernel, for what asks for the use of units.
KernelReport AsKernel(const WholeReport& whole);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_REGIONS_COUNTED_REGIONS_H_
