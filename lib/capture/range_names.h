// SPDX-License-Identifier: Apache-2.0
//
// Names that the program gave to its threads (nvtxNameOsThread).
#ifndef PROF_LIB_CAPTURE_RANGE_NAMES_H_
#define PROF_LIB_CAPTURE_RANGE_NAMES_H_

#include <cstdint>
#include <functional>
#include <string_view>

namespace prof::capture {

// Any thread; lock-free, no allocation. The first 4,096 names of a process are kept.
void NameThread(uint32_t tid, std::string_view name);

// Hands out the names given since `from` (0: all), oldest first, and returns what to pass next
// time. A later name for the same thread replaces the earlier one. For the collector.
uint32_t ReadThreadNames(uint32_t from,
                         const std::function<void(uint32_t tid, std::string_view name)>& sink);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_RANGE_NAMES_H_
