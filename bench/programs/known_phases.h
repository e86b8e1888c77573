// SPDX-License-Identifier: Apache-2.0
//
// The known kernels in random order: a phase each, one after the other, nothing twice.
#ifndef PROF_BENCH_PROGRAMS_KNOWN_PHASES_H_
#define PROF_BENCH_PROGRAMS_KNOWN_PHASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "known_kernels.h"

struct PhaseOptions {
  uint64_t seed = 0;     // of the order
  double seconds = 0.3;  // of each phase
  // What an earlier run printed as "plan": it repeats the launches of that run, whatever they take.
  std::string plan;
};

// Prints "[phases] {...}": each kernel with its limiters, launches and seconds, and the plan.
// Returns whether the plan fits the kernels.
bool RunPhases(const std::vector<KnownKernel>& kernels, const PhaseOptions& options);

#endif  // PROF_BENCH_PROGRAMS_KNOWN_PHASES_H_
