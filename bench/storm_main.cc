// SPDX-License-Identifier: Apache-2.0
#include "bench/storm_main.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "bench/storm_recording.h"

namespace prof::bench {

int RunOverStorm(int argc, char** argv, const char* name, Storm* storm) {
  benchmark::Initialize(&argc, argv);
  if (const char* const number = std::getenv("PROF_BENCH_LAUNCHES")) {
    storm->launches = std::strtoll(number, nullptr, 10);
  }
  storm->path = std::filesystem::temp_directory_path() /
                ("prof_bench_" + std::string(name) + "." + std::to_string(getpid()) + ".prof");
  WriteStormRecording(storm->path, storm->launches);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove(storm->path);
  return 0;
}

}  // namespace prof::bench
