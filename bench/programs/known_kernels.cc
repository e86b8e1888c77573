// SPDX-License-Identifier: Apache-2.0
//
// This program runs the known kernels in rounds. It runs them bare, for Nsight Compute or
// `prof run`, one after the other in phases, or in a prof::Session of its own until all counters
// are sampled.
#include "known_kernels.h"

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cuda_check.h"
#include "known_phases.h"
#include "lib/report/json.h"
#include "memory_watch.h"
#include "prof/analyzer.h"
#include "prof/session.h"
#include "thread_times.h"

namespace {

constexpr double kEarlySeconds = 10;  // the start of a profiler is over by then

constexpr int kSamples = 3;  // of each pass group; ncu profiles as many launches
constexpr int kCleanRounds = 10;
constexpr double kMaxSamplingSeconds = 45;

struct Arguments {
  bool bare = false;
  int rounds = 3;                // bare: at least this many
  double seconds = 0;            // bare: and for this long
  std::optional<uint64_t> seed;  // of the kernels' sizes and rounds, and of the order of phases
  std::optional<double> phases;  // seconds of each
  std::string json, expected, plan;
};

[[noreturn]] void PrintUsageAndExit() {
  std::fprintf(stderr,
               "usage: known_kernels --bare [--rounds N] [--seconds S] [--seed N]\n"
               "       known_kernels --phases S [--seed N] [--plan PLAN]\n"
               "       known_kernels --json REPORT\n"
               "       known_kernels --expected FILE   (needs no GPU)\n");
  std::exit(2);
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--bare") {
      arguments.bare = true;
      continue;
    }
    if (i + 1 == argc) PrintUsageAndExit();
    const char* const value = argv[++i];
    if (name == "--rounds") {
      arguments.rounds = std::atoi(value);
    } else if (name == "--seconds") {
      arguments.seconds = std::atof(value);
    } else if (name == "--seed") {
      arguments.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--phases") {
      arguments.phases = std::atof(value);
    } else if (name == "--plan") {
      arguments.plan = value;
    } else if (name == "--json") {
      arguments.json = value;
    } else if (name == "--expected") {
      arguments.expected = value;
    } else {
      PrintUsageAndExit();
    }
  }
  const int modes = (arguments.bare ? 1 : 0) + (arguments.phases ? 1 : 0) +
                    (arguments.json.empty() ? 0 : 1) + (arguments.expected.empty() ? 0 : 1);
  if (modes != 1) PrintUsageAndExit();
  return arguments;
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void RunRound(const std::vector<KnownKernel>& kernels) {
  for (const KnownKernel& kernel : kernels) kernel.launch();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

int WriteExpected(const std::vector<KnownKernel>& kernels, const std::string& path) {
  nlohmann::ordered_json file;
  for (const KnownKernel& kernel : kernels) {
    nlohmann::ordered_json& entry = file["kernels"][kernel.name];
    entry["bottleneck"] = kernel.bottleneck;
    entry["expected"] = nlohmann::ordered_json::object();
    for (const auto& [metric, value] : kernel.expected) entry["expected"][metric] = value;
  }
  std::ofstream out(path);
  out << file.dump(1) << '\n';
  out.close();
  return out ? 0 : 1;
}

// ncu profiles between the two cudaProfiler calls, so not the warm-up.
int RunBare(const std::vector<KnownKernel>& kernels, const Arguments& arguments) {
  CUDA_CHECK(cudaProfilerStart());
  const double start = Now();
  int rounds = 0;
  bool is_early = arguments.seconds > 2 * kEarlySeconds;
  std::optional<MemoryWatch> memory;
  if (is_early) memory.emplace(static_cast<int>(arguments.seconds));
  for (; rounds < arguments.rounds || Now() - start < arguments.seconds; ++rounds) {
    if (is_early && Now() - start >= kEarlySeconds) {
      is_early = false;
      std::printf("[timing] early seconds %.4f\n", Now() - start);
      PrintProfThreadTimes("early");
    }
    RunRound(kernels);
  }
  std::printf("[timing] rounds %d seconds %.4f\n", rounds, Now() - start);
  if (memory) memory->Print();
  CUDA_CHECK(cudaProfilerStop());
  PrintProfThreadTimes();
  return 0;
}

int RunProfiled(const std::vector<KnownKernel>& kernels, const std::string& path) {
  prof::SessionOptions options;
  options.counters = prof::Counters::kAll;
  options.samples_per_signature = kSamples;
  options.counter_budget_percent = 100;
  options.counter_budget_seconds = kMaxSamplingSeconds;
  const double start = Now();
  prof::Session session(options);
  int rounds = 0;
  do {
    RunRound(kernels);
    ++rounds;
  } while (session.counters_pending() && Now() - start < kMaxSamplingSeconds);
  std::printf("[timing] rounds %d seconds %.4f complete %d\n", rounds, Now() - start,
              session.counters_complete() ? 1 : 0);
  for (int i = 0; i < kCleanRounds; ++i) RunRound(kernels);
  PrintProfThreadTimes();

  std::ofstream file(path);
  prof::WriteJson(file, prof::Analyze(session.Stop()));
  file.close();
  if (!file) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return file ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments arguments = Parse(argc, argv);
  Variation vary = arguments.seed ? Variation(*arguments.seed) : Variation();
  const std::vector<KnownKernel> kernels = AllKernels(vary);
  if (!arguments.expected.empty()) return WriteExpected(kernels, arguments.expected);

  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }
  RunRound(kernels);  // makes the arrays and loads the modules
  if (arguments.phases) {
    const PhaseOptions options{arguments.seed.value_or(0), *arguments.phases, arguments.plan};
    return RunPhases(kernels, options) ? 0 : 1;
  }
  return arguments.bare ? RunBare(kernels, arguments) : RunProfiled(kernels, arguments.json);
} catch (const std::exception& error) {
  std::fprintf(stderr, "known_kernels: %s\n", error.what());
  return 1;
}
