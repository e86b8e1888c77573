// SPDX-License-Identifier: Apache-2.0
//
// Where the events of a recording begin and end.
#ifndef PROF_LIB_EXPORT_BASE_TIME_SPAN_H_
#define PROF_LIB_EXPORT_BASE_TIME_SPAN_H_

#include <cstdint>

#include "prof/events.h"

namespace prof::exporting {

// The time that is `offset_ns` after the begin of the recording; the end of int64_t's range
// where it would be beyond that. A damaged file may have any begin.
[[nodiscard]] int64_t TimeAfterBegin(const Events& events, int64_t offset_ns);

// Not later than any event: the begin of the recording, or of something that began before it.
[[nodiscard]] int64_t BeginOf(const Events& events);

// The end of the recording, or of something that ended after it: the last block has the end, and a
// recording that was cut off lacks that block. Looks at each event that has an end.
[[nodiscard]] int64_t EndOf(const Events& events);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_TIME_SPAN_H_
