// SPDX-License-Identifier: Apache-2.0
//
// The same products as tensor_families.cu, by the instruction of a warpgroup (sm_90a).
#ifndef PROF_BENCH_ZOO_WGMMA_H_
#define PROF_BENCH_ZOO_WGMMA_H_

namespace zoo {

// `products` of 64 x 128 x 16 per round and block, on FP16.
void RunWgmmaHalf(int blocks, int rounds, int products);

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_WGMMA_H_
