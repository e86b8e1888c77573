// SPDX-License-Identifier: Apache-2.0
//
// The graph notice reports launches of CUDA graphs that are not recorded as the user wanted.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_GRAPH_NOTICE_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_GRAPH_NOTICE_H_

#include <optional>

#include "lib/capture/events/events.h"
#include "prof/session.h"

namespace prof::cupti {

// Nothing where `got` is `wanted`.
std::optional<capture::NoticeEvent> GraphsNotice(Graphs wanted, Graphs got);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_GRAPH_NOTICE_H_
