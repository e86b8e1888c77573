// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/environment.h"

#include <cstdlib>

#include "lib/options/option_checks.h"

namespace prof::capture {
namespace {

// Null when the variable is not set or empty.
const char* Value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

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
  const char* tool = Value("PROF_CUDA_NEXT");  // inject_shim.cc sets it
  return tool != nullptr ? tool : "";
}

}  // namespace prof::capture
