// SPDX-License-Identifier: Apache-2.0
//
// What a format has no place for is counted, and the export's notes have the count.
#ifndef PROF_LIB_EXPORT_BASE_LEFT_OUT_H_
#define PROF_LIB_EXPORT_BASE_LEFT_OUT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"
#include "prof/report.h"

namespace prof::exporting {

// The device of each context, by the operations of the recording.
[[nodiscard]] std::map<uint32_t, uint32_t> DevicesOfContexts(const Events& events);

// For formats that have counters of kernels only: samples of ranges and graphs, and those of
// launches without a record, that the selection has.
void NoteSamplesWithoutKernel(const Events& events, const Selection& selection,
                              std::vector<std::string>* notes);

// For formats without waits: the synchronizations that the selection has.
void NoteSyncs(const Events& events, const Selection& selection, std::vector<std::string>* notes);

// What the recording lacks, and the export with it, each sentence once: Report::integrity has that
// of Report::incomplete as well.
[[nodiscard]] std::vector<std::string> LossesOf(const Report& report);

// Synchronizations of contexts without an operation, whose device nothing names.
void NoteSyncsWithoutDevice(const Events& events, std::vector<std::string>* notes);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_LEFT_OUT_H_
