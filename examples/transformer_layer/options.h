// SPDX-License-Identifier: Apache-2.0
//
// Options is the command line of the layer's programs; StopWatch times their steps.
#ifndef PROF_EXAMPLES_TRANSFORMER_LAYER_OPTIONS_H_
#define PROF_EXAMPLES_TRANSFORMER_LAYER_OPTIONS_H_

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

struct Options {
  int tokens = 2048;
  int layers = 1;
  int steps = 60;       // the least; more while counters are missing
  int steady = 20;      // further steps, timed alone
  double seconds = 30;  // the longest wait for counters
  std::string output;   // snapshot file; empty: none
  std::string counters = "stalls";
  bool prof = true;
};

inline void PrintUsageAndExit(const char* program, int code) {
  std::printf(
      "usage: %s [--tokens N] [--layers N] [--steps N] [--steady N]\n"
      "  [--seconds S] [--output FILE] [--counters none|pulse|sol|stalls|all] [--no-prof]\n"
      "Runs N steps, and more until all counters are sampled or S seconds are over; then runs\n"
      "and times the steady steps.\n",
      program);
  std::exit(code);
}

inline int ParsePositive(const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != '\0' || value < 1 || value > 100000000) {
    std::fprintf(stderr, "not a positive number: %s\n", text);
    std::exit(2);
  }
  return static_cast<int>(value);
}

inline Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") PrintUsageAndExit(argv[0], 0);
    if (name == "--no-prof") {
      options.prof = false;
      continue;
    }
    if (i + 1 == argc) PrintUsageAndExit(argv[0], 2);
    const char* value = argv[++i];
    if (name == "--tokens") {
      options.tokens = ParsePositive(value);
    } else if (name == "--layers") {
      options.layers = ParsePositive(value);
    } else if (name == "--steps") {
      options.steps = ParsePositive(value);
    } else if (name == "--steady") {
      options.steady = ParsePositive(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else if (name == "--output") {
      options.output = value;
    } else if (name == "--counters") {
      options.counters = value;
    } else {
      PrintUsageAndExit(argv[0], 2);
    }
  }
  return options;
}

class StopWatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One line that scripts can read.
inline void PrintTiming(int steps, double seconds, int steady_steps, double steady_seconds) {
  std::printf("[timing] steps %d us_per_step %.2f steady_steps %d steady_us_per_step %.2f\n", steps,
              seconds * 1e6 / steps, steady_steps, steady_seconds * 1e6 / steady_steps);
}

#endif  // PROF_EXAMPLES_TRANSFORMER_LAYER_OPTIONS_H_
