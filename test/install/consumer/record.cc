// SPDX-License-Identifier: Apache-2.0
//
// Both halves in one program. It has to work on a machine without a GPU: the status then says why
// there is no timeline, and the snapshot is readable all the same.
#include <iostream>

#include "prof/analyzer.h"
#include "prof/range.h"
#include "prof/session.h"

int main() {
  prof::Session session;
  { PROF_RANGE("work"); }
  const prof::SubsystemStatus timeline = session.status().timeline;
  std::cout << "timeline: " << timeline.what << " " << timeline.fix << "\n";
  const bool says_why = timeline.state == prof::State::kWorking || !timeline.what.empty();

  const prof::Report report = prof::Analyze(session.Stop());
  std::cout << report << "\n";
  return says_why && report.error.empty() && report.pid != 0 ? 0 : 1;
}
