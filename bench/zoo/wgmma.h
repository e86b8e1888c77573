// SPDX-License-Identifier: Apache-2.0
//
// The same products as tensor_families.cu and matrix_families.cu, by the instruction of a warpgroup
// (sm_90a).
#ifndef PROF_BENCH_ZOO_WGMMA_H_
#define PROF_BENCH_ZOO_WGMMA_H_

namespace zoo {

enum class WgmmaType { kNone, kHalf, kBfloat, kTf32, kInt8 };

// `products` of 64 x 128 by 32 bytes per round and block; `fmas` in groups of kChains. A block has
// half as many threads as those of tensor_families.cu.
void RunWgmma(WgmmaType type, int blocks, int rounds, int products, int fmas);

// `products` on FP16 before, and as many after, 64 x `exponentials` of each thread.
void RunWgmmaAttention(int blocks, int steps, int products, int exponentials, int fmas);

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_WGMMA_H_
