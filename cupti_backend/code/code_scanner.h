// SPDX-License-Identifier: Apache-2.0
//
// The code scanner counts what a function's instructions do.
#ifndef PROF_CUPTI_BACKEND_CODE_CODE_SCANNER_H_
#define PROF_CUPTI_BACKEND_CODE_CODE_SCANNER_H_

#include <cstddef>
#include <cstdint>

#include "lib/format/code_census.h"

namespace prof::cupti {

// The encoding of this architecture is known.
[[nodiscard]] bool CanScan(uint32_t architecture);

// What an instruction does, by its first 8 bytes.
[[nodiscard]] format::CodeClass ClassOf(uint64_t instruction);

// Longer functions are not counted: to follow their branches takes some 10 bytes for each.
inline constexpr size_t kMostInstructions = size_t{1} << 20;

// Of `bytes` at `code`, the code of one function; no instructions: it is too long, or empty. It
// takes some 10 ns for each instruction. May throw std::bad_alloc.
[[nodiscard]] format::CodeCensus Scan(const uint8_t* code, size_t bytes, uint32_t architecture);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CODE_CODE_SCANNER_H_
