// SPDX-License-Identifier: Apache-2.0
//
// Reads the ranks of a recording.
#ifndef PROF_LIB_RANKS_READ_RANKS_H_
#define PROF_LIB_RANKS_READ_RANKS_H_

#include <string>
#include <vector>

#include "lib/ranks/rank.h"
#include "lib/snapshot/model/model.h"

namespace prof::ranks {

// One for each device that ran a collective. `file` is what the user called the recording. n log n
// in the operations; keeps the collectives and the kernels, not the operations.
[[nodiscard]] std::vector<Rank> ReadRanks(const model::Model& model, const std::string& file);

}  // namespace prof::ranks

#endif  // PROF_LIB_RANKS_READ_RANKS_H_
