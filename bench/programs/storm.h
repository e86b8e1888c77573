// SPDX-License-Identifier: Apache-2.0
//
// Many small kernels from several threads. Knows nothing of prof: storm_bare.cc runs it alone,
// launch_storm.cc under prof.
#ifndef PROF_BENCH_PROGRAMS_STORM_H_
#define PROF_BENCH_PROGRAMS_STORM_H_

#include <optional>

enum class StormKind {
  kPlain,   // one launch after the other
  kRanges,  // with an NVTX range around each, "even" and "odd" in turns
  kGraph,   // in CUDA graphs of 1,000 kernel nodes
};

struct StormOptions {
  int kernels = 100'000;  // per thread; a multiple of 1,000 in graphs
  int threads = 1;
  StormKind kind = StormKind::kRanges;
};

// From "[kernels] [threads] [plain|ranges|graph]"; nothing, and a line on stderr, when they are
// wrong.
std::optional<StormOptions> ParseStorm(int argc, char** argv);

class Storm {
 public:
  // Makes the streams and graphs and loads the module. False: there is no GPU, which is printed.
  bool Prepare(const StormOptions& options);

  // Runs all of it, waiting for the GPU every 1,000 kernels; returns us per kernel.
  double Run();

  // What Run() makes at each call.
  unsigned long long kernels() const;
  // What all calls of Run() made so far.
  unsigned long long made() const { return runs_ * kernels(); }

  // Whether the GPU has run all that was launched, by the number that the kernels counted.
  bool CountIsRight() const;

 private:
  void Launch(int thread);

  StormOptions options_;
  unsigned long long runs_ = 0;
  struct Gpu;
  Gpu* gpu_ = nullptr;  // lives as long as the process
};

// "[timing] storm NAME ... us_per_kernel X"
void PrintStorm(const char* name, const StormOptions& options, double us_per_kernel);

// Asks tracing_parts.cc, which the program has to be injected with, for its set of that number: by
// SIGUSR2, which ends a program without it.
void AskForParts(int set);
// Then runs twice and prints the second one as "set_<set>": what is set up at the first launches is
// not timed.
void RunUnderParts(Storm& storm, const StormOptions& options, int set);

#endif  // PROF_BENCH_PROGRAMS_STORM_H_
