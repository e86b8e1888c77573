// SPDX-License-Identifier: Apache-2.0
//
// The tables that prof adds to those of Nsight Systems: PROF_COUNTERS, PROF_PM_SAMPLES,
// PROF_VERDICTS, PROF_FINDINGS, PROF_LOSSES. docs/guide/export.md describes them.
#ifndef PROF_LIB_EXPORT_WRITERS_SQLITE_PROF_H_
#define PROF_LIB_EXPORT_WRITERS_SQLITE_PROF_H_

#include <cstdint>

#include "lib/export/base/database.h"
#include "lib/export/base/selection.h"
#include "prof/events.h"
#include "prof/report.h"

namespace prof::exporting {

void WriteProfTables(const Events& events, const Report& report, const Selection& selection,
                     int64_t begin_ns, Database* database);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_SQLITE_PROF_H_
