// SPDX-License-Identifier: Apache-2.0
//
// The actions at the top of the report: which few changes would free most time, one after the
// other.
#ifndef PROF_LIB_ANALYZER_ACTIONS_H_
#define PROF_LIB_ANALYZER_ACTIONS_H_

#include <cstddef>
#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

inline constexpr size_t kMostActions = 5;
// [own] An action below this share of the undisturbed time is not worth a place at the top.
inline constexpr double kLeastAction = 0.01;

// The time on the critical path that each kernel has, and that copies and memsets have.
struct PathTimes {
  std::vector<double> kernels_ns;  // parallel to the groups
  double other_ns = 0;
};
[[nodiscard]] PathTimes TimesOnPath(const model::Model& model, const Timeline& timeline,
                                    const KernelGroups& groups);

// The actions of `report` by what they save, descending; equal ones in the order of the report.
// Each action draws from the time that it is about: a kernel's from KernelReport::critical_ns, a
// finding's from the idle time of its causes, from the copies (`copies_ns`), or from both. What one
// action saves is taken out before the next one is chosen. So they sum to that time at most, which
// is no more than the undisturbed span. Kernels of one name with the same action are one entry,
// and so are launch-sized kernels of any name, and those of communication.
// An action without a bound takes nothing out, and ranks as if it saved kWorthwhileGain of its
// time, the least gain that is worth reporting.
[[nodiscard]] std::vector<RankedAction> RankActions(const Report& report, double copies_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_ACTIONS_H_
