// SPDX-License-Identifier: Apache-2.0
//
// Times of kernels across devices: each one is scaled by what limits the kernel.
#ifndef PROF_LIB_COMPARE_NORMALIZE_H_
#define PROF_LIB_COMPARE_NORMALIZE_H_

#include <string>

#include "lib/compare/match.h"
#include "prof/compare.h"

namespace prof::compare {

// By what the time of `pair`, which both sides have, is multiplied after: the ratio of what the
// unit that limits it can do, after over before, so that it becomes a time of the device before.
// 1 where the limit or its rate is not known on both sides, or is none that a device scales.
[[nodiscard]] Normalization NormalizeTime(const Pair& pair, const RunSet& before,
                                          const RunSet& after);

// "normalized by DRAM bandwidth: x 1.433 (4.80 TB/s over 3.35 TB/s)"; "not normalized: ...".
[[nodiscard]] std::string NormalizationText(const Normalization& normalization);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_NORMALIZE_H_
