// SPDX-License-Identifier: Apache-2.0
//
// The code scanner counts what a function's instructions do.
//
// NVIDIA documents the names of the instructions, not their encoding. The numbers here are those
// that the assembler of CUDA 13.0 writes for sm_75 to sm_120 (test/cupti_backend/code compares them
// with NVIDIA's disassembler): an instruction has 16 bytes, and its low 9 bits are what it does;
// the 3 bits above have the form of its operands.
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

// Of `bytes` at `code`, the code of one function. It reads the code twice, and takes some ns for
// each instruction. May throw std::bad_alloc.
[[nodiscard]] format::CodeCensus Scan(const uint8_t* code, size_t bytes, uint32_t architecture);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CODE_CODE_SCANNER_H_
