// SPDX-License-Identifier: Apache-2.0
//
// Commands write HTML pages to files: the report of a recording, and a comparison of runs.
#ifndef PROF_LIB_CLI_BASE_HTML_OUTPUT_H_
#define PROF_LIB_CLI_BASE_HTML_OUTPUT_H_

#include <string>
#include <vector>

#include "prof/compare.h"
#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof::cli {

// Writes the HTML report of `snapshot` to `path` and prints a line on stderr; to standard output,
// without that line, when `path` is "-". False after a message.
[[nodiscard]] bool WriteHtmlFile(const std::string& path, const Snapshot& snapshot,
                                 const Report& report);

// Writes that of each recording to a file. With several, their names go into the name of the file:
// "run.html" becomes "run.app-42.html" for app-42.prof. False after a message.
[[nodiscard]] bool WriteHtmlFiles(const std::string& path,
                                  const std::vector<std::string>& recordings);

// Writes the page of a comparison that has no error; `path` as above. False after a message.
[[nodiscard]] bool WriteComparisonFile(const std::string& path, const Comparison& comparison);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_HTML_OUTPUT_H_
