// SPDX-License-Identifier: Apache-2.0
//
// The export as CSV: events as they were recorded. The kernels of a report are in lib/report/csv.h.
#ifndef PROF_LIB_EXPORT_WRITERS_CSV_TABLES_H_
#define PROF_LIB_EXPORT_WRITERS_CSV_TABLES_H_

#include <cstdint>
#include <iosfwd>
#include <string>

#include "lib/export/base/selection.h"
#include "prof/export.h"

namespace prof::exporting {

// Every table but kKernels. Returns the number of rows below the header.
int64_t WriteCsvTable(const Events& events, ExportTable table, const Selection& selection,
                      std::ostream& out);

// "launches", as `prof export --table` has it.
[[nodiscard]] const char* TableName(ExportTable table);

// Why a table has no rows, and the way out: the recording has none, or the selection has none.
[[nodiscard]] std::string WhyNoRows(const Events& events, ExportTable table);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_CSV_TABLES_H_
