// SPDX-License-Identifier: Apache-2.0
//
// What prof's own threads have cost this process: one line for each, from /proc.
#ifndef PROF_BENCH_PROGRAMS_THREAD_TIMES_H_
#define PROF_BENCH_PROGRAMS_THREAD_TIMES_H_

// Prints "[<tag>] <name> cpu_s <seconds>" for every thread whose name begins with "prof-", user
// and system time, at the resolution of the kernel's clock tick (10 ms).
void PrintProfThreadTimes(const char* tag = "thread");

#endif  // PROF_BENCH_PROGRAMS_THREAD_TIMES_H_
