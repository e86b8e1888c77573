// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/graph_notice.h"

namespace prof::cupti {

std::optional<capture::NoticeEvent> GraphsNotice(Graphs wanted, Graphs got) {
  if (wanted == got) return std::nullopt;
  capture::NoticeEvent notice;
  notice.severity = capture::Severity::kWarning;
  notice.subsystem = capture::Subsystem::kTimeline;
  if (wanted == Graphs::kWhole) {
    notice.what =
        "graphs are recorded by node: whole graphs have to be chosen before the first one is "
        "instantiated, and this program may have done that already";
    notice.fix = "inject prof to get whole graphs: prof run --graphs whole, or PROF_GRAPHS=whole";
  } else {
    notice.what =
        "graphs are recorded as a whole, without their nodes: the first recording of this process "
        "chose that, and CUPTI cannot change it safely";
    notice.fix = "record without PROF_GRAPHS=whole";
  }
  return notice;
}

}  // namespace prof::cupti
