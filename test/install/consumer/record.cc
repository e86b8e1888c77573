// SPDX-License-Identifier: Apache-2.0
//
// Both halves in one program. It has to work on a machine without a GPU: the status then says why
// there is no timeline, and the snapshot is readable all the same.
#include <iostream>
#include <sstream>

#include "prof/analyzer.h"
#include "prof/events.h"
#include "prof/export.h"
#include "prof/range.h"
#include "prof/session.h"
#include "prof/write.h"

int main() {
  prof::Session session;
  { PROF_RANGE("work"); }
  const prof::SubsystemStatus timeline = session.status().timeline;
  std::cout << "timeline: " << timeline.what << " " << timeline.fix << "\n";
  const bool says_why = timeline.state == prof::State::kWorking || !timeline.what.empty();

  const prof::Snapshot snapshot = session.Stop();
  const prof::Report report = prof::Analyze(snapshot);
  std::cout << report << "\n";

  std::ostringstream trace, page;
  const prof::ExportResult exported =
      prof::Export(prof::ReadEvents(snapshot), report, prof::ExportOptions(), trace);
  const std::string no_page = prof::WriteHtml(page, snapshot, report);
  std::cout << "trace: " << trace.str().size() << " bytes " << exported.error << "\n"
            << "page: " << page.str().size() << " bytes " << no_page << "\n";
  const bool written =
      exported.error.empty() && !trace.str().empty() && page.str().empty() != no_page.empty();
  return says_why && report.error.empty() && report.pid != 0 && written ? 0 : 1;
}
