// SPDX-License-Identifier: Apache-2.0
//
// The analysis of a snapshot together with something that was measured elsewhere.
#ifndef PROF_LIB_ANALYZER_ANALYZER_H_
#define PROF_LIB_ANALYZER_ANALYZER_H_

#include <functional>

#include "lib/snapshot/model/model.h"
#include "prof/analyzer.h"
#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof {

// As Analyze(), after `amend` has changed the model that was read. `amend` may be empty. It is not
// called for a snapshot that cannot be read.
[[nodiscard]] Report AnalyzeAmended(const Snapshot& snapshot,
                                    const std::function<void(model::Model*)>& amend,
                                    const AnalyzeOptions& options = {});

}  // namespace prof

#endif  // PROF_LIB_ANALYZER_ANALYZER_H_
