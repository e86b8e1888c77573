// SPDX-License-Identifier: Apache-2.0
//
// Copies are summed up by direction and kind of memory, with the part that ran beside kernels.
#ifndef PROF_LIB_ANALYZER_TIMELINE_COPIES_H_
#define PROF_LIB_ANALYZER_TIMELINE_COPIES_H_

#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// "host to device"
[[nodiscard]] std::string DirectionName(model::CopyKind kind);
// "pageable"
[[nodiscard]] std::string MemoryName(model::MemoryKind kind);

// By time, descending. Overlap is with the union of the kernels of the copy's device.
[[nodiscard]] std::vector<CopySummary> SummarizeCopies(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_COPIES_H_
