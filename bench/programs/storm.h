// SPDX-License-Identifier: Apache-2.0
//
// The storm launches many small kernels from several threads. It does not know prof: storm_bare.cc
// runs it alone, launch_storm.cc under prof.
#ifndef PROF_BENCH_PROGRAMS_STORM_H_
#define PROF_BENCH_PROGRAMS_STORM_H_

#include <optional>

enum class StormKind {
  kPlain,   // one launch after the other
  kRanges,  // an NVTX range around each, "even" and "odd" in turns
  kGraph,   // in CUDA graphs of 1,000 kernel nodes
};

struct StormOptions {
  int kernels = 100'000;  // per thread; a multiple of 1,000 in graphs
  int threads = 1;
  StormKind kind = StormKind::kRanges;
};

// From "[kernels] [threads] [plain|ranges|graph]". Wrong words give nothing and a line on stderr.
std::optional<StormOptions> ParseStorm(int argc, char** argv);

class Storm {
 public:
  // Makes the streams and graphs and loads the module. Without a GPU it prints that and returns
  // false.
  bool Prepare(const StormOptions& options);

  // Runs the storm and waits for the GPU every 1,000 kernels. Returns us per kernel.
  double Run();

  // The launches of one Run().
  unsigned long long kernels() const;
  // The launches of all calls of Run() so far.
  unsigned long long made() const { return runs_ * kernels(); }

  // Whether the kernels, which count themselves, counted every launch.
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

// Requests the set of that number from tracing_parts.cc, which must be injected into the program.
// It sends SIGUSR2, which ends a program without tracing_parts.cc.
void RequestParts(int set);
// Requests the set, runs twice, and prints the second run as "set_<set>": the first launches set
// things up, and are not timed.
void RunUnderParts(Storm& storm, const StormOptions& options, int set);

#endif  // PROF_BENCH_PROGRAMS_STORM_H_
