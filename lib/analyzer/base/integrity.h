// SPDX-License-Identifier: Apache-2.0
//
// This file puts Integrity into words: what a capture lacks, and what that puts in doubt.
#ifndef PROF_LIB_ANALYZER_BASE_INTEGRITY_H_
#define PROF_LIB_ANALYZER_BASE_INTEGRITY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// One sentence for each loss. `samples_without_kernel` counts the counter samples that match no
// kernel record, `samples_without_work` those of graphs and ranges without a recorded operation.
// Why the recording is not complete: its end is missing, or something follows it. Empty: it is.
[[nodiscard]] std::string WhyIncomplete(const model::Model& model);

[[nodiscard]] std::vector<std::string> IntegritySentences(const model::Model& model,
                                                          int64_t samples_without_kernel,
                                                          int64_t samples_without_work);

// The losses that put idle time in doubt: "12 records dropped by CUPTI". Empty: none.
[[nodiscard]] std::vector<std::string> LostOperations(const model::Model& model);

// True when the record of an operation, an allocation or a free may be missing.
[[nodiscard]] bool RecordsLost(const model::Model& model);

// The number of events without which NVTX ranges may be wrong.
[[nodiscard]] uint64_t LostRangeEvents(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_INTEGRITY_H_
