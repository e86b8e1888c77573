// SPDX-License-Identifier: Apache-2.0
//
// Where the events of a recording begin.
#ifndef PROF_LIB_EXPORT_BASE_TIME_SPAN_H_
#define PROF_LIB_EXPORT_BASE_TIME_SPAN_H_

#include <cstdint>

#include "prof/events.h"

namespace prof::exporting {

// Not later than any event: the begin of the recording, or of something that began before it.
[[nodiscard]] int64_t BeginOf(const Events& events);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_TIME_SPAN_H_
