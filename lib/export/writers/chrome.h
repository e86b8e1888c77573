// SPDX-License-Identifier: Apache-2.0
//
// The export as Chrome's JSON, as Kineto writes it for PyTorch's profiler: Holistic Trace Analysis
// and other readers of such traces know its names.
#ifndef PROF_LIB_EXPORT_WRITERS_CHROME_H_
#define PROF_LIB_EXPORT_WRITERS_CHROME_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"
#include "prof/report.h"

namespace prof::exporting {

// Returns what a reader of the file has to know.
[[nodiscard]] std::vector<std::string> WriteChrome(const Events& events, const Report& report,
                                                   const Selection& selection, std::ostream& out);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_CHROME_H_
