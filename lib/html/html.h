// SPDX-License-Identifier: Apache-2.0
//
// The report as one HTML file that needs nothing else: no network, no server, no other file.
#ifndef PROF_LIB_HTML_HTML_H_
#define PROF_LIB_HTML_HTML_H_

#include <iosfwd>
#include <string>

#include "absl/status/status.h"
#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof::html {

// Why this build of prof cannot write HTML, and the way out; empty: it can.
[[nodiscard]] std::string WhyNoHtml();

// Reads `snapshot` again, for its timeline; `report` is Analyze() of the same one. Costs about 1 us
// and 3.5 bytes of the file for each operation. Errors: no bundle (kUnimplemented), and those of
// ReadSnapshot().
[[nodiscard]] absl::Status WriteHtml(std::ostream& out, const Snapshot& snapshot,
                                     const Report& report);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_HTML_H_
