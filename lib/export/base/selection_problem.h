// SPDX-License-Identifier: Apache-2.0
//
// Some selections can match nothing in a recording: a range, a GPU or a time that it does not have.
// These functions give the reason and the way out.
#ifndef PROF_LIB_EXPORT_BASE_SELECTION_PROBLEM_H_
#define PROF_LIB_EXPORT_BASE_SELECTION_PROBLEM_H_

#include <string>

#include "prof/export.h"

namespace prof::exporting {

// Why nothing can be on this GPU, or in this time; empty: something can be.
[[nodiscard]] std::string GpuProblem(const Events& events, const ExportOptions& options);
[[nodiscard]] std::string TimeProblem(const Events& events, const ExportOptions& options);

// For an expression that matches no path: the paths that there are.
[[nodiscard]] std::string NoRangeMatches(const Events& events, const std::string& expression);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_SELECTION_PROBLEM_H_
