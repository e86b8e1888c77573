// SPDX-License-Identifier: Apache-2.0
//
// The work of counted regions: every launch of a graph and every instance of a range on the
// timeline, and those that the samples were taken from.
#ifndef PROF_LIB_ANALYZER_REGIONS_REGION_WORK_H_
#define PROF_LIB_ANALYZER_REGIONS_REGION_WORK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// One launch of a graph, or one instance of a range.
struct RegionRun {
  uint32_t device = 0;
  int64_t host_start_ns = 0, host_end_ns = 0;  // ranges
  int64_t start_ns = 0, end_ns = 0;            // first operation's start, last one's end
  int64_t busy_ns = 0;                         // time in which an operation of it ran
  int32_t first_op = model::kNoIndex;
  int64_t ops = 0;         // with a time
  bool disturbed = false;  // by a counter range
};

// A sample, and the run that it was taken from.
struct RegionSample {
  const model::CounterSample* sample = nullptr;
  int32_t run = model::kNoIndex;  // into RegionWork::runs; kNoIndex: its work was not recorded
  bool alone = false;             // no other operation ran on the device in the meantime
};

// Equal parts of a region: the launches of one kernel signature, or operations of one kind.
struct RegionOps {
  int32_t example = model::kNoIndex;  // index into Model::ops
  int64_t count = 0, time_ns = 0;
};

struct RegionWork {
  uint32_t graph = 0;  // CUDA graph id; 0: a range
  uint32_t path = 0;   // the first one of its family
  std::vector<RegionRun> runs;
  std::vector<RegionSample> samples;
  std::map<int32_t, RegionOps> parts;  // by kernel group; below 0: other operations, by kind
};

struct FoundRegions {
  // One entry for each graph and path of its launches, and for each range family, that has samples.
  std::vector<RegionWork> regions;
  int64_t samples_without_graph = 0;  // samples of graphs without any recorded operation
};

// Costs a pass over the operations for each range family, two for all graphs together.
[[nodiscard]] FoundRegions FindRegionWork(const model::Model& model, const RangeFamilies& families,
                                          const KernelGroups& groups);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_REGIONS_REGION_WORK_H_
