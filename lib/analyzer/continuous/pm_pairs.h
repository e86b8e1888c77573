// SPDX-License-Identifier: Apache-2.0
//
// Pairs are PM samples of twice the length, made of neighbours. Where their fit differs from that
// of the samples by more than chance, the fit is wrong by as much: docs/internals/continuous.md.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_PAIRS_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_PAIRS_H_

#include "lib/analyzer/continuous/pm_work.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

struct PmPairs {
  model::PmSeries series;
  PmRows rows;
};

// `rows` are those of `series`. Leaves out samples without a neighbour, and those that cannot be
// used. Linear in rows.
[[nodiscard]] PmPairs JoinPairs(const model::PmSeries& series, const PmRows& rows);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_PAIRS_H_
