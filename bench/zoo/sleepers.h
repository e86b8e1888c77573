// SPDX-License-Identifier: Apache-2.0
//
// Sleepers are blocks that hold warps of each SM and do nothing. A kernel that runs beside them has
// fewer warps at a time, and all else as before: the same code, caches and shared memory.
#ifndef PROF_BENCH_ZOO_SLEEPERS_H_
#define PROF_BENCH_ZOO_SLEEPERS_H_

#include "bench/zoo/zoo.h"

namespace zoo {

class Sleepers {
 public:
  // Returns when each SM of the device has `warps` of them; exits with a message when that cannot
  // be. Nothing else runs meanwhile, and no kernel may be loaded while they sleep.
  explicit Sleepers(int warps);
  Sleepers(const Sleepers&) = delete;
  Sleepers& operator=(const Sleepers&) = delete;
  ~Sleepers();  // wakes them

  static constexpr int kRegisters = 16;  // of a thread, at most
};

// The warps of an SM that have a slot.
int WarpSlots();

// The knob "warps" of a kernel of `threads` a block, with static shared memory only: all that can
// be on an SM at a time, then a block less, then two. The rest of the registers is enough for the
// sleepers. Does nothing where less than four blocks fit.
void AddWarpsKnob(const void* kernel, int threads, Family* family);

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_SLEEPERS_H_
