// SPDX-License-Identifier: Apache-2.0
//
// How much of a device a launch reaches.
#ifndef PROF_LIB_ANALYZER_BASE_SM_SHARE_H_
#define PROF_LIB_ANALYZER_BASE_SM_SHARE_H_

#include <algorithm>
#include <cstdint>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// The part of the SMs that the kernel's blocks reach when each has one of its own, 0..1. 0: not
// known.
[[nodiscard]] inline double SmShare(const model::Model& model, const model::Op& op) {
  const model::Device* const device = model.FindDevice(op.device);
  if (device == nullptr || device->sm_count == 0) return 0;
  double blocks = 1;
  for (const uint32_t size : model.shapes[op.shape].grid) blocks *= size;
  return std::min(1.0, blocks / device->sm_count);
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_SM_SHARE_H_
