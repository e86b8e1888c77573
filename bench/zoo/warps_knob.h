// SPDX-License-Identifier: Apache-2.0
//
// The knob "warps": how many of a kernel an SM has at a time. Shared memory that each block asks
// for, and does not use, keeps the others out.
#ifndef PROF_BENCH_ZOO_WARPS_KNOB_H_
#define PROF_BENCH_ZOO_WARPS_KNOB_H_

#include "bench/zoo/zoo.h"

namespace zoo {

// For a kernel of `threads` a block, whose launches ask for Padding() bytes of dynamic shared
// memory and have blocks for many turns: as many as fit, a block less, two less. All three have the
// smallest L1, so that it is the same for them. Adds none where less than three blocks fit.
void AddWarpsKnob(const void* kernel, int threads, Family* family);

int Padding();

// While it lives an SM has no more than `warps` of the kernel of the knob.
class FewerWarps {
 public:
  FewerWarps(const Knob& knob, int warps);
  FewerWarps(const FewerWarps&) = delete;
  FewerWarps& operator=(const FewerWarps&) = delete;
  ~FewerWarps();

 private:
  const void* kernel_;
};

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_WARPS_KNOB_H_
