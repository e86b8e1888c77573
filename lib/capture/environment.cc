// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/environment.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "lib/options/name_filter.h"

namespace prof::capture {
namespace {

constexpr const char* kDefaultOutput = "prof-%p.prof";
constexpr double kMaxLaunches = 1e15;  // exact in a double

const char* Value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

void Complain(std::vector<std::string>* complaints, const char* name, const std::string& value,
              const std::string& expected) {
  complaints->push_back(std::string(name) + "=" + value + " is not " + expected +
                        "; the default is used");
}

void ReadNumber(const char* name, double low, double high, double* value,
                std::vector<std::string>* complaints) {
  const char* text = Value(name);
  if (text == nullptr) return;
  char* end = nullptr;
  errno = 0;
  const double number = std::strtod(text, &end);
  if (errno != 0 || end == text || *end != '\0' || !(number >= low && number <= high)) {
    Complain(complaints, name, text,
             "a number from " + std::to_string(low) + " to " + std::to_string(high));
    return;
  }
  *value = number;
}

template <typename Integer>
void ReadInteger(const char* name, double low, double high, Integer* value,
                 std::vector<std::string>* complaints) {
  auto number = static_cast<double>(*value);
  ReadNumber(name, low, high, &number, complaints);
  if (number != std::floor(number)) {
    Complain(complaints, name, Value(name), "a whole number");
    return;
  }
  *value = static_cast<Integer>(number);
}

// The value that `name` has, of a few with names.
template <typename Value>
struct Named {
  const char* name;
  Value value;
};

template <typename T, size_t kCount>
void ReadNamed(const char* name, const Named<T> (&values)[kCount], T* value,
               std::vector<std::string>* complaints) {
  const char* text = Value(name);
  if (text == nullptr) return;
  std::string names;
  for (const Named<T>& named : values) {
    if (std::strcmp(text, named.name) == 0) {
      *value = named.value;
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  }
  Complain(complaints, name, text, "one of " + names);
}

void ReadSwitch(const char* name, bool* value, std::vector<std::string>* complaints) {
  int number = *value ? 1 : 0;
  ReadInteger(name, 0, 1, &number, complaints);
  *value = number != 0;
}

void ReadExpression(const char* name, std::string* value, std::vector<std::string>* complaints) {
  const char* text = Value(name);
  if (text == nullptr) return;
  const std::string problem = options::ExpressionProblem(text);
  if (problem.empty()) {
    *value = text;
  } else {
    Complain(complaints, name, text, problem);
  }
}

// 0, 1, or an interval in us.
void ReadContinuous(SessionOptions* options, std::vector<std::string>* complaints) {
  constexpr const char* kName = "PROF_CONTINUOUS";
  const char* text = Value(kName);
  if (text == nullptr) return;
  int number = -1;
  std::vector<std::string> ignored;
  ReadInteger(kName, 0, 1'000'000, &number, &ignored);
  if (number < 0 || (number > 1 && number < 20)) {
    Complain(complaints, kName, text, "0, 1 or an interval from 20 to 1000000 us");
    return;
  }
  options->continuous = number != 0;
  if (number > 1) options->continuous_interval_us = number;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

SessionOptions OptionsFromEnvironment(std::vector<std::string>* complaints) {
  SessionOptions options;
  options.output = kDefaultOutput;
  if (const char* output = Value("PROF_OUTPUT")) options.output = output;
  constexpr Named<Counters> kCounters[] = {{"none", Counters::kNone},
                                           {"pulse", Counters::kPulse},
                                           {"sol", Counters::kSpeedOfLight},
                                           {"stalls", Counters::kStalls},
                                           {"all", Counters::kAll}};
  constexpr Named<Replay> kReplay[] = {{"none", Replay::kNone}, {"kernel", Replay::kKernel}};
  ReadNamed("PROF_COUNTERS", kCounters, &options.counters, complaints);
  ReadInteger("PROF_SAMPLES", 1, 100, &options.samples_per_signature, complaints);
  ReadInteger("PROF_SKIP", 0, 1'000'000, &options.skip_first_launches, complaints);
  ReadNumber("PROF_BUDGET_PERCENT", 0, 100, &options.counter_budget_percent, complaints);
  ReadNumber("PROF_BUDGET_SECONDS", 0, 1e6, &options.counter_budget_seconds, complaints);
  ReadInteger("PROF_BUFFER_MIB", 1, 4096, &options.buffer_mib, complaints);
  ReadInteger("PROF_DEVICE_MIB", 16, 4096, &options.device_mib, complaints);
  ReadInteger("PROF_KEEP_SECONDS", 0, 86'400, &options.keep_last_seconds, complaints);
  ReadInteger("PROF_KEEP_MIB", 1, 65'536, &options.keep_mib, complaints);
  constexpr Named<int> kSignals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
  ReadNamed("PROF_DUMP_SIGNAL", kSignals, &options.dump_signal, complaints);
  ReadSwitch("PROF_RANGES", &options.ranges, complaints);
  ReadSwitch("PROF_UNIFIED_MEMORY", &options.unified_memory, complaints);
  constexpr Named<Graphs> kGraphs[] = {{"nodes", Graphs::kNodes}, {"whole", Graphs::kWhole}};
  ReadNamed("PROF_GRAPHS", kGraphs, &options.graphs, complaints);
  if (const char* metrics = Value("PROF_METRICS")) options.metrics = Split(metrics, ',');
  ReadExpression("PROF_KERNEL", &options.kernel_filter, complaints);
  ReadExpression("PROF_RANGE_FILTER", &options.range_filter, complaints);
  ReadInteger("PROF_LAUNCH_SKIP", 0, kMaxLaunches, &options.launch_skip, complaints);
  ReadInteger("PROF_LAUNCH_COUNT", 0, kMaxLaunches, &options.launch_count, complaints);
  ReadInteger("PROF_SAMPLE_EVERY", 1, 1e9, &options.sample_every, complaints);
  ReadExpression("PROF_COUNTED_RANGES", &options.counted_ranges, complaints);
  ReadContinuous(&options, complaints);
  ReadNumber("PROF_CONTINUOUS_CORE", 0.1, 100, &options.continuous_core_percent, complaints);
  ReadNamed("PROF_REPLAY", kReplay, &options.replay, complaints);
  return options;
}

int RankFromEnvironment() {
  for (const char* name : {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    const char* text = Value(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    const long rank = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && rank >= 0 && rank < (1 << 24)) return static_cast<int>(rank);
  }
  return -1;
}

std::vector<std::string> CuptiSearchPath() {
  std::vector<std::string> path;
  if (const char* cupti = Value("PROF_CUPTI")) path.emplace_back(cupti);
  std::vector<std::string> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = Value(name)) roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const std::string& root : roots) {
    for (const char* folder :
         {"/extras/CUPTI/lib64", "/lib64", "/targets/x86_64-linux/lib", "/lib"}) {
      path.push_back(root + folder);
    }
  }
  return path;
}

std::string CudaToolBeforeUs() {
  const char* tool = Value("PROF_CUDA_NEXT");  // set by inject_shim.cc
  return tool != nullptr ? tool : "";
}

}  // namespace prof::capture
