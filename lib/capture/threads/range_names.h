// SPDX-License-Identifier: Apache-2.0
//
// Names that the program gave to other things than ranges: its threads (nvtxNameOsThread),
// categories (nvtxNameCategory) and streams (nvtxNameCudaStream).
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_NAMES_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_NAMES_H_

#include <cstdint>
#include <functional>

#include "lib/capture/events/events.h"

namespace prof::capture {

// Any thread; lock-free, no allocation; looks at all names given before, a few microseconds at
// most. The first 4,096 names of a process are kept, those after them counted. Saying the same
// again is no new name.
void GiveName(const NameEvent& name);

// Hands out the names given since `from` (0: all), oldest first, and returns what to pass next
// time. A later name for the same thing replaces the earlier one. For the collector.
uint32_t ReadNames(uint32_t from, const std::function<void(const NameEvent&)>& sink);

// Names that had no room, since the process began.
uint64_t NamesDropped();

// Sets a stream's `context` and `stream` from its handle, while the program's call with it lasts
// (later the stream may be gone). Called on the program's thread; nullptr: nobody can tell.
void SetStreamResolver(void (*resolver)(NameEvent* name));

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_NAMES_H_
