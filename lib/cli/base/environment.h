// SPDX-License-Identifier: Apache-2.0
//
// `prof run` prepares an Environment for the program that it starts.
#ifndef PROF_LIB_CLI_BASE_ENVIRONMENT_H_
#define PROF_LIB_CLI_BASE_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <vector>

namespace prof::cli {

class Environment {
 public:
  // A copy of this process's environment.
  Environment();

  [[nodiscard]] std::optional<std::string> Get(const std::string& name) const;
  void Set(const std::string& name, const std::string& value);
  void SetIfAbsent(const std::string& name, const std::string& value);

  // "NAME=value", as exec takes them.
  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;
};

// Makes a program under `environment` load `library` when it starts (LD_PRELOAD), when it starts
// CUDA, and when it makes its first NVTX call. Another tool's injection stays.
void Inject(const std::string& library, Environment* environment);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_ENVIRONMENT_H_
