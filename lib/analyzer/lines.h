// SPDX-License-Identifier: Apache-2.0
//
// The lines sum the GPU's time by the lines of Python source that launched it.
#ifndef PROF_LIB_ANALYZER_LINES_H_
#define PROF_LIB_ANALYZER_LINES_H_

#include <string_view>
#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// `kernels` is parallel to the groups. Linear in operations, gaps and stacks.
[[nodiscard]] LinesReport SumLines(const model::Model& model, const Timeline& timeline,
                                   const KernelGroups& groups,
                                   const std::vector<KernelReport>& kernels);

// Whether a frame of this file is the program's own. Installed packages ("/site-packages/",
// "/dist-packages/"), Python's library ("/lib/python3.11/") and files that are none ("<frozen
// runpy>", "<string>") are not.
[[nodiscard]] bool IsOwnFile(std::string_view file);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_LINES_H_
