// SPDX-License-Identifier: Apache-2.0
//
// The main function of the benchmarks that read the recording of a storm.
#ifndef PROF_BENCH_STORM_MAIN_H_
#define PROF_BENCH_STORM_MAIN_H_

#include <cstdint>
#include <string>

namespace prof::bench {

struct Storm {
  std::string path;
  int64_t launches = 10'000'000;  // PROF_BENCH_LAUNCHES sets another number
};

// Writes the recording to a file of its own in the folder for temporary files, runs the benchmarks,
// which read `storm`, and removes it. `name`: of the benchmark, in the file's name.
[[nodiscard]] int RunOverStorm(int argc, char** argv, const char* name, Storm* storm);

}  // namespace prof::bench

#endif  // PROF_BENCH_STORM_MAIN_H_
