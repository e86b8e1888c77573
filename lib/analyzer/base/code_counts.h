// SPDX-License-Identifier: Apache-2.0
//
// The code counts are the census of a kernel's code by names.
#ifndef PROF_LIB_ANALYZER_BASE_CODE_COUNTS_H_
#define PROF_LIB_ANALYZER_BASE_CODE_COUNTS_H_

#include <array>

#include "lib/format/code_census.h"
#include "prof/kernel_code.h"

namespace prof::analyzer {

struct CodeCountRow {
  format::CodeClass which;
  KernelCode::Count KernelCode::*count;
  const char* name;   // "global_loads"
  const char* words;  // "loads of global memory"
};

// In the order of KernelCode.
[[nodiscard]] const std::array<CodeCountRow, format::kCodeClasses - 1>& CodeCountRows();

[[nodiscard]] KernelCode CodeOf(const format::CodeCensus& census);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_CODE_COUNTS_H_
