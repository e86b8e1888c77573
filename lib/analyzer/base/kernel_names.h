// SPDX-License-Identifier: Apache-2.0
//
// Kernel names are shortened for people.
#ifndef PROF_LIB_ANALYZER_BASE_KERNEL_NAMES_H_
#define PROF_LIB_ANALYZER_BASE_KERNEL_NAMES_H_

#include <string>
#include <string_view>

#include "lib/text/demangle.h"

namespace prof::analyzer {

// A demangled name without return type, namespaces, template arguments and parameters:
//   "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)"
//   -> "vectorized_elementwise_kernel"
// The first template argument stays where the rest has no meaning ("Kernel2"):
//   "void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm>(...)"
//   -> "Kernel2<cutlass_80_tensorop_s16816gemm>"
[[nodiscard]] std::string ShortName(std::string_view demangled);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_KERNEL_NAMES_H_
