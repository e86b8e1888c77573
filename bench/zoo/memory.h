// SPDX-License-Identifier: Apache-2.0
//
// Device memory of the zoo: families share a few large arrays, which are made on first use and
// stay.
#ifndef PROF_BENCH_ZOO_MEMORY_H_
#define PROF_BENCH_ZOO_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace zoo {

inline constexpr unsigned kVectors = 1u << 26;      // of 16 bytes in In() and Out(): 1 GiB each
inline constexpr unsigned kWords = 1u << 26;        // in Next(): 256 MiB
inline constexpr unsigned kHostVectors = 1u << 22;  // 64 MiB of pinned host memory
inline constexpr unsigned kScratchWords = 1u << 24;

const uint4* In();  // random bits; as floats they are finite, between 1 and 2
uint4* Out();
const unsigned* Next();  // one cycle through all kWords words
uint32_t* Sink();        // 64 words; kernels write it only to keep their results alive
uint32_t* Scratch();     // kScratchWords words
uint4* HostMemory();     // as the device sees it

// Of device memory; exits with a message when the copy fails.
void ReadBack(void* to, const void* from, size_t bytes);
void Clear(void* at, size_t bytes);

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_MEMORY_H_
