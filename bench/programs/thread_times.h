// SPDX-License-Identifier: Apache-2.0
//
// PrintProfThreadTimes() prints what each of prof's own threads cost this process, from /proc.
#ifndef PROF_BENCH_PROGRAMS_THREAD_TIMES_H_
#define PROF_BENCH_PROGRAMS_THREAD_TIMES_H_

// Prints a line "[<tag>] <name> cpu_s <seconds>" for each thread of prof. These threads have names
// that begin with "prof-". The seconds are user and system time, in steps of 10 ms.
void PrintProfThreadTimes(const char* tag = "thread");

#endif  // PROF_BENCH_PROGRAMS_THREAD_TIMES_H_
