// SPDX-License-Identifier: Apache-2.0
//
// A data-parallel job: steps of kernels, and collectives in which the ranks wait for each other.
#ifndef PROF_TEST_RANKS_JOB_H_
#define PROF_TEST_RANKS_JOB_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/ranks/rank.h"

namespace prof::ranks::test {

struct JobOptions {
  size_t ranks = 4;
  int steps = 60, kernels = 20, collectives = 3;  // of a step
  double kernel_ns = 50e3, gap_ns = 5e3, transfer_ns = 200e3;
  double jitter = 0.02;      // of each kernel and gap, as a part of it
  double step_jitter = 0.0;  // of each rank's step
  // Those that are planted: how much longer their kernels or gaps are, and how many launches more.
  size_t straggler = 0, planted = 1;  // the first one, and how many
  double slower = 0, later = 0, more = 0;
  int from_step = 0;  // no rank is slower, later or has more before
  // One rank stalls once, in the middle of the run.
  size_t stalled = 0;
  double stall_ns = 0;
  bool one_host = true;
};

// The ranks as recordings would show them; each clock is off by up to 5 ms where hosts differ.
[[nodiscard]] std::vector<Rank> RunJob(const JobOptions& options, uint32_t seed);

}  // namespace prof::ranks::test

#endif  // PROF_TEST_RANKS_JOB_H_
