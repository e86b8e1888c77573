// SPDX-License-Identifier: Apache-2.0
//
// The stage "groups": launches are grouped by signature, which is the device, the shape (kernel,
// grid, block, shared memory) and the NVTX path. Numbered siblings of a path are one.
#ifndef PROF_LIB_ANALYZER_KERNELS_KERNELS_H_
#define PROF_LIB_ANALYZER_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// One entry per signature, in the order of its first launch.
struct KernelGroup {
  uint32_t device = 0, shape = 0, path = 0;  // ids; path: the first one of its family
  int64_t exclusive_ns = 0;                  // of Timeline::exclusive_ns: AddTimelineTimes()
  int64_t undisturbed_ns = 0;  // durations of its launches that are evidence: AddTimelineTimes()
  KernelLaunches launches;
};

struct KernelGroups {
  std::vector<KernelGroup> groups;
  std::vector<int32_t> group_of_op;  // parallel to Model::ops; kNoIndex: not a kernel
  // By index in Model::samples: of those whose launches are older than the recording, where the
  // kernel runs in it, too.
  std::unordered_map<size_t, int32_t> group_of_older;
};

[[nodiscard]] KernelGroups GroupKernels(const model::Model& model, const RangeFamilies& families);

// Adds what only the timeline has to groups that GroupKernels() made.
void AddTimelineTimes(const model::Model& model, const Timeline& timeline, KernelGroups* groups);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_KERNELS_H_
