// SPDX-License-Identifier: Apache-2.0
//
// How much of each GPU's own memory was allocated, at each change. What was allocated before the
// recording began is not included.
#ifndef PROF_LIB_EXPORT_BASE_MEMORY_LEVELS_H_
#define PROF_LIB_EXPORT_BASE_MEMORY_LEVELS_H_

#include <cstdint>
#include <vector>

#include "prof/events.h"

namespace prof::exporting {

struct MemoryLevel {
  uint32_t device = 0;
  int64_t time_ns = 0;
  uint64_t bytes = 0;  // after the change
};

// In the order of time; of several changes at one time the last. Memory of a device and CUDA
// arrays, from pools or not.
[[nodiscard]] std::vector<MemoryLevel> MemoryLevels(const Events& events);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_MEMORY_LEVELS_H_
