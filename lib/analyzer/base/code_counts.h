// SPDX-License-Identifier: Apache-2.0
//
// The code counts make the public KernelCode of a census.
#ifndef PROF_LIB_ANALYZER_BASE_CODE_COUNTS_H_
#define PROF_LIB_ANALYZER_BASE_CODE_COUNTS_H_

#include "lib/format/code_census.h"
#include "prof/kernel_code.h"

namespace prof::analyzer {

[[nodiscard]] KernelCode CodeOf(const format::CodeCensus& census);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_CODE_COUNTS_H_
