// SPDX-License-Identifier: Apache-2.0
//
// The environment that `prof run` gives to the program. The names are those that libprof.so reads.
#ifndef PROF_LIB_CLI_ENVIRONMENT_H_
#define PROF_LIB_CLI_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <vector>

namespace prof::cli {

class Environment {
 public:
  // A copy of this process's.
  Environment();

  std::optional<std::string> Get(const std::string& name) const;
  void Set(const std::string& name, const std::string& value);
  void SetIfAbsent(const std::string& name, const std::string& value);

  // "NAME=value", as exec takes it.
  const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;
};

// Makes a program under `environment` load `library`, before it has CUDA (LD_PRELOAD), when it
// starts CUDA, and when it makes its first NVTX call. Another tool's injection is left alone.
void Inject(const std::string& library, Environment* environment);

// Where libprof_inject.so is: `asked`, else PROF_INJECT, else beside this program or in the lib
// folder next to it. Empty: nowhere, and `error` says where it was looked for and the way out.
std::string FindInjectLibrary(const std::string& asked, std::string* error);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_ENVIRONMENT_H_
