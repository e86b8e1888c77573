// SPDX-License-Identifier: Apache-2.0
//
// The source detail is a file of source with the GPU's time beside its lines.
#ifndef PROF_LIB_REPORT_TEXT_DETAILS_SOURCE_DETAIL_H_
#define PROF_LIB_REPORT_TEXT_DETAILS_SOURCE_DETAIL_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "lib/report/text/text.h"

namespace prof {

// The file of the report's lines that `name` is, or is the end of ("train.py"); where there is
// none, one of the same name in another folder. Empty: none or several; `problem` has which there
// are.
[[nodiscard]] std::string FindSource(const Report& report, const std::string& name,
                                     std::string* problem);

// The lines of `file` that are in a stack, and those around them. `source`: the text of the file.
void WriteSourceDetail(std::ostream& out, const Report& report, const std::string& file,
                       const std::vector<std::string>& source, const TextOptions& options);

}  // namespace prof

#endif  // PROF_LIB_REPORT_TEXT_DETAILS_SOURCE_DETAIL_H_
