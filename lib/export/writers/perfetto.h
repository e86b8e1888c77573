// SPDX-License-Identifier: Apache-2.0
//
// The export for Perfetto: a GPU-compute trace, which ui.perfetto.dev shows with the metrics of
// Nsight Compute.
#ifndef PROF_LIB_EXPORT_WRITERS_PERFETTO_H_
#define PROF_LIB_EXPORT_WRITERS_PERFETTO_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"
#include "prof/report.h"

namespace prof::exporting {

// Returns what a reader of the file has to know.
[[nodiscard]] std::vector<std::string> WritePerfetto(const Events& events, const Report& report,
                                                     const Selection& selection, std::ostream& out);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_PERFETTO_H_
