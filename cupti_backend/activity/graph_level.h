// SPDX-License-Identifier: Apache-2.0
//
// What to say where launches of CUDA graphs are not recorded as a recording asked for.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_GRAPH_LEVEL_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_GRAPH_LEVEL_H_

#include <optional>

#include "lib/capture/events/events.h"
#include "prof/session.h"

namespace prof::cupti {

// Nothing where it got what it wanted.
std::optional<capture::NoticeEvent> GraphsNotice(Graphs wanted, Graphs got);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_GRAPH_LEVEL_H_
