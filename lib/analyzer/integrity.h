// SPDX-License-Identifier: Apache-2.0
//
// What is missing from a capture, and what that puts in doubt: one sentence for each loss.
#ifndef PROF_LIB_ANALYZER_INTEGRITY_H_
#define PROF_LIB_ANALYZER_INTEGRITY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// `samples_without_kernel`: counter samples that no kernel record matches; `samples_without_work`:
// those of a graph or range of which no operation was recorded.
std::vector<std::string> IntegritySentences(const model::Model& model,
                                            int64_t samples_without_kernel,
                                            int64_t samples_without_work);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_INTEGRITY_H_
