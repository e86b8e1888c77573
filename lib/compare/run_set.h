// SPDX-License-Identifier: Apache-2.0
//
// Reports become runs of one program. prof/compare.h declares Collect() and SetNoise().
#ifndef PROF_LIB_COMPARE_RUN_SET_H_
#define PROF_LIB_COMPARE_RUN_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// A range's label without its count, which may differ between runs: "layer */mlp" for
// "layer */mlp (8 ranges)".
[[nodiscard]] std::string RangeName(const std::string& label);

// How many runs of each side are the same recording: all times and counts of kernels and of the run
// are equal, which those of two processes never are. A run has its own times also in a baseline.
struct SharedRuns {
  int64_t before = 0, after = 0;
};
[[nodiscard]] SharedRuns FindSharedRuns(const RunSet& before, const RunSet& after);

// In which order the runs were recorded. A run that began when one of the other side did is between
// its runs.
[[nodiscard]] RunOrder OrderOf(const RunSet& before, const RunSet& after);

// How much of the same work each run did: launches of `kernels`, each over the median run of its
// `reference`, which has as many entries; the median over the kernels, weighted by their time: what
// a program launches once at its start is most of its kernels, and none of its work.
[[nodiscard]] std::vector<double> WorkOf(const std::vector<const KernelRuns*>& kernels,
                                         const std::vector<const KernelRuns*>& reference,
                                         int64_t runs);

// The same within one side: each run beside the median run. All of the side's kernels count, also
// those that the other side lacks.
[[nodiscard]] std::vector<double> OwnWork(const RunSet& runs);

// Values of runs over the work of each.
[[nodiscard]] std::vector<double> PerWork(std::vector<double> values,
                                          const std::vector<double>& work);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_RUN_SET_H_
