// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/environment.h"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "lib/options/option_checks.h"

namespace prof::capture {
namespace {

// Null when the variable is not set or empty, and in a program with more rights than its user, who
// chose the environment.
const char* Value(const char* name) {
  const char* value = secure_getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// The first of the variables that has a whole number of at most 2^24; -1: none.
int FirstNumber(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = Value(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    const bool whole = end != text && *end == '\0';
    if (whole && number >= 0 && number < (1 << 24)) return static_cast<int>(number);
  }
  return -1;
}

}  // namespace

bool EnvironmentIsTrusted() { return getauxval(AT_SECURE) == 0; }

SessionOptions OptionsFromEnvironment(std::vector<std::string>* complaints) {
  std::vector<std::string> problems;
  SessionOptions options = options::ReadVariables(
      [](const char* name) {
        const char* value = Value(name);
        return std::string(value == nullptr ? "" : value);
      },
      &problems);
  for (const std::string& problem : problems) {
    complaints->push_back(problem + "; the default is used");
  }
  return options;
}

int RankFromEnvironment() {
  return FirstNumber({"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"});
}

// sbatch sets SLURM_NTASKS for its script too, which is one process: a step has its own number.
int RanksFromEnvironment() {
  const int ranks = FirstNumber({"WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "OMPI_COMM_WORLD_SIZE",
                                 "PMI_SIZE", "SLURM_NTASKS", "LOCAL_WORLD_SIZE",
                                 "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"});
  return std::max(ranks, 1);
}

RunOfProf RunFromEnvironment() {
  const char* text = Value("PROF_RUN");  // "1764000000000000000:/tmp/prof-run-x"
  if (text == nullptr) return {};
  char* end = nullptr;
  RunOfProf run;
  run.start_ns = std::strtoll(text, &end, 10);
  if (end == text || *end != ':') return {};
  run.list = end + 1;
  return run;
}

std::string SharedFolderFromEnvironment() {
  const char* folder = Value("XDG_RUNTIME_DIR");
  return folder != nullptr ? folder : "/tmp";
}

// Where a toolkit keeps its libraries; on aarch64 those of servers or of Jetson.
constexpr const char* kToolkitFolders[] = {
    "/extras/CUPTI/lib64",
    "/lib64",
#if defined(__aarch64__)
    "/targets/sbsa-linux/lib",
    "/targets/aarch64-linux/lib",
#else
    "/targets/x86_64-linux/lib",
#endif
    "/lib",
};

std::vector<std::string> CuptiSearchPath() {
  std::vector<std::string> path;
  if (const char* cupti = Value("PROF_CUPTI")) path.emplace_back(cupti);
  std::vector<std::string> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = Value(name)) roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const std::string& root : roots) {
    for (const char* folder : kToolkitFolders) path.push_back(root + folder);
  }
  return path;
}

std::string CeilingsFromEnvironment() {
  constexpr const char* kName = "/prof/ceilings.csv";
  const char* const cache = Value("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + kName;
  const char* const home = Value("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache" + kName : "";
}

std::string MpsPipeFolder() {
  const char* folder = Value("CUDA_MPS_PIPE_DIRECTORY");
  return folder != nullptr ? folder : "/tmp/nvidia-mps";
}

std::string CudaToolBeforeUs() {
  const char* tool = Value("PROF_CUDA_NEXT");  // inject_shim.cc sets it
  return tool != nullptr ? tool : "";
}

}  // namespace prof::capture
