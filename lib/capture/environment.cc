// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/environment.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace prof::capture {
namespace {

constexpr const char* kDefaultOutput = "prof-%p.prof";

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

void ReadInteger(const char* name, int low, int high, int* value,
                 std::vector<std::string>* complaints) {
  double number = *value;
  ReadNumber(name, low, high, &number, complaints);
  if (number != std::floor(number)) {
    Complain(complaints, name, Value(name), "a whole number");
    return;
  }
  *value = static_cast<int>(number);
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
  if (const char* counters = Value("PROF_COUNTERS")) {
    const std::string name = counters;
    if (name == "none") {
      options.counters = Counters::kNone;
    } else if (name == "sol") {
      options.counters = Counters::kSpeedOfLight;
    } else if (name == "stalls") {
      options.counters = Counters::kStalls;
    } else if (name == "all") {
      options.counters = Counters::kAll;
    } else {
      Complain(complaints, "PROF_COUNTERS", name, "one of none, sol, stalls, all");
    }
  }
  ReadInteger("PROF_SAMPLES", 1, 100, &options.samples_per_signature, complaints);
  ReadInteger("PROF_SKIP", 0, 1'000'000, &options.skip_first_launches, complaints);
  ReadNumber("PROF_BUDGET_PERCENT", 0, 100, &options.counter_budget_percent, complaints);
  ReadNumber("PROF_BUDGET_SECONDS", 0, 1e6, &options.counter_budget_seconds, complaints);
  ReadInteger("PROF_BUFFER_MIB", 1, 4096, &options.buffer_mib, complaints);
  int ranges = 1;
  ReadInteger("PROF_RANGES", 0, 1, &ranges, complaints);
  options.ranges = ranges != 0;
  if (const char* metrics = Value("PROF_METRICS")) options.metrics = Split(metrics, ',');
  if (const char* kernel = Value("PROF_KERNEL")) options.kernel_filter = kernel;
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

}  // namespace prof::capture
