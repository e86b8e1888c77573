// SPDX-License-Identifier: Apache-2.0
//
// The analyzer alone: bytes that are no snapshot give a report that says so, and each writer an
// answer.
#include <iostream>
#include <sstream>

#include "prof/analyzer.h"
#include "prof/events.h"
#include "prof/export.h"
#include "prof/write.h"

int main() {
  const prof::Snapshot snapshot = prof::Snapshot::FromBytes("not a snapshot");
  const prof::Report report = prof::Analyze(snapshot);
  prof::TextOptions wide;
  wide.width = 160;
  prof::WriteText(std::cout, report, wide);
  std::ostringstream json, csv, page, trace;
  prof::WriteJson(json, report);
  prof::WriteCsv(csv, report);
  const std::string no_page = prof::WriteHtml(page, snapshot, report);
  const prof::ExportResult exported =
      prof::Export(prof::ReadEvents(snapshot), report, prof::ExportOptions(), trace);
  std::cout << no_page << "\n" << exported.error << "\n";
  const bool written = !json.str().empty() && !csv.str().empty();
  const bool refused = !no_page.empty() && !exported.error.empty();
  return !report.error.empty() && report.kernels.empty() && written && refused ? 0 : 1;
}
