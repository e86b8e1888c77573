// SPDX-License-Identifier: Apache-2.0
//
// The program's NVTX data other than its ranges: marks, values, categories, names.
#ifndef PROF_LIB_ANALYZER_TIMELINE_NVTX_H_
#define PROF_LIB_ANALYZER_TIMELINE_NVTX_H_

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

[[nodiscard]] NvtxReport DescribeNvtx(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_NVTX_H_
