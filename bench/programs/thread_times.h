// SPDX-License-Identifier: Apache-2.0
//
// PrintProfThreadTimes() prints what each of prof's own threads cost this process, from /proc.
#ifndef PROF_BENCH_PROGRAMS_THREAD_TIMES_H_
#define PROF_BENCH_PROGRAMS_THREAD_TIMES_H_

// Prints "[<tag>] <name> cpu_s <seconds>" for every thread whose name begins with "prof-". The time
// is user and system time, with the resolution of the kernel's clock tick (10 ms).
void PrintProfThreadTimes(const char* tag = "thread");

#endif  // PROF_BENCH_PROGRAMS_THREAD_TIMES_H_
