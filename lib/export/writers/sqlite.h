// SPDX-License-Identifier: Apache-2.0
//
// The export as a SQLite database: the tables of Nsight Systems' export (schema 3.25), and tables
// of prof's own with counters and verdicts.
#ifndef PROF_LIB_EXPORT_WRITERS_SQLITE_H_
#define PROF_LIB_EXPORT_WRITERS_SQLITE_H_

#include <string>

#include "lib/export/base/selection.h"
#include "prof/events.h"
#include "prof/report.h"

namespace prof::exporting {

// Makes the file `path`. Returns why it could not; empty: it did.
[[nodiscard]] std::string WriteSqlite(const Events& events, const Report& report,
                                      const Selection& selection, const std::string& path);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_SQLITE_H_
