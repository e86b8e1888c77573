// SPDX-License-Identifier: Apache-2.0
//
// The states of a recording as text: for logs, and for the messages of tests.
#include <ostream>
#include <utility>

#include "prof/session.h"

namespace prof {

const char* ToString(State state) noexcept {
  switch (state) {
    case State::kWorking:
      return "working";
    case State::kDegraded:
      return "degraded";
    case State::kOff:
      return "off";
    case State::kUnavailable:
      return "unavailable";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, State state) { return out << ToString(state); }

std::ostream& operator<<(std::ostream& out, const SubsystemStatus& status) {
  out << status.state;
  if (!status.what.empty()) out << ": " << status.what;
  if (status.code != 0) out << " (code " << status.code << ')';
  if (!status.fix.empty()) out << "; to get it: " << status.fix;
  return out;
}

std::ostream& operator<<(std::ostream& out, const Status& status) {
  const char* separator = "";
  for (const auto& [name, part] :
       {std::pair("timeline", &status.timeline), std::pair("ranges", &status.ranges),
        std::pair("counters", &status.counters), std::pair("continuous", &status.continuous),
        std::pair("output", &status.output), std::pair("options", &status.options)}) {
    out << separator << name << ": " << *part;
    separator = "\n";
  }
  return out;
}

}  // namespace prof
