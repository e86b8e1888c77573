// SPDX-License-Identifier: Apache-2.0
//
// Demangling turns the linker's name of a kernel into the name in the source.
#ifndef PROF_LIB_TEXT_DEMANGLE_H_
#define PROF_LIB_TEXT_DEMANGLE_H_

#include <string>

namespace prof::text {

// A name that is not mangled ("sm90_xmma_gemm_...", Triton's names) stays unchanged.
[[nodiscard]] std::string Demangle(const std::string& name);

}  // namespace prof::text

#endif  // PROF_LIB_TEXT_DEMANGLE_H_
