// SPDX-License-Identifier: Apache-2.0
//
// Kernel names for people.
#ifndef PROF_LIB_ANALYZER_BASE_KERNEL_NAMES_H_
#define PROF_LIB_ANALYZER_BASE_KERNEL_NAMES_H_

#include <string>
#include <string_view>

namespace prof::analyzer {

// The demangled name; what is not mangled ("sm90_xmma_gemm_...", Triton's names) stays as it is.
std::string Demangle(const std::string& name);

// A demangled name without return type, namespaces, template arguments and parameters:
//   "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)"
//   -> "vectorized_elementwise_kernel"
// Where what is left says nothing ("Kernel2"), the first template argument stays:
//   "void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm>(...)"
//   -> "Kernel2<cutlass_80_tensorop_s16816gemm>"
std::string ShortName(std::string_view demangled);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_KERNEL_NAMES_H_
