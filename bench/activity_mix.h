// SPDX-License-Identifier: Apache-2.0
//
// A raw CUPTI activity buffer such as a PyTorch program leaves: kernels of 20 names and 40 shapes
// on four streams, now and then a copy. API calls do not come in buffers.
#ifndef PROF_BENCH_ACTIVITY_MIX_H_
#define PROF_BENCH_ACTIVITY_MIX_H_

#include <cstddef>
#include <cstdint>

#include "test/support/activity_records.h"

namespace prof::bench {

// Of `launches` kernels, correlation ids from `first_correlation` on; the names in it live as long
// as the program does.
cupti::test::ActivityBuffer ActivityMix(size_t launches, uint32_t first_correlation);

}  // namespace prof::bench

#endif  // PROF_BENCH_ACTIVITY_MIX_H_
