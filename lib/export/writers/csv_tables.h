// SPDX-License-Identifier: Apache-2.0
//
// The export as CSV: events as they were recorded. The kernels of a report are in lib/report/csv.h.
#ifndef PROF_LIB_EXPORT_WRITERS_CSV_TABLES_H_
#define PROF_LIB_EXPORT_WRITERS_CSV_TABLES_H_

#include <iosfwd>

#include "lib/export/base/selection.h"
#include "prof/export.h"

namespace prof::exporting {

// Every table but kKernels.
void WriteCsvTable(const Events& events, ExportTable table, const Selection& selection,
                   std::ostream& out);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_CSV_TABLES_H_
