// SPDX-License-Identifier: Apache-2.0
//
// The ends of the program `endings` that have a file of their own.
#ifndef PROF_BENCH_PROGRAMS_ENDINGS_H_
#define PROF_BENCH_PROGRAMS_ENDINGS_H_

namespace endings {

// Prints how many kernels `counted` came to their end.
void Print(int launches);

// The program ends CUPTI (cuptiFinalize) in mid-run, as another profiler does, and goes on.
// `graph`: with a CUDA graph that is launched before, meanwhile and after. `alone`: the program is
// its own client of CUPTI, which also begins again, so no profiler may be in the process.
int FinalizeCupti(bool graph, bool alone);

// Two threads with per-thread default streams. A kernel of each waits for one of the other.
int PerThread();

}  // namespace endings

#endif  // PROF_BENCH_PROGRAMS_ENDINGS_H_
