// SPDX-License-Identifier: Apache-2.0
//
// NVTX asks the environment for a tool at its first call in each library of the program. This runs
// when libprof.so is loaded, before that: preloaded or linked, no variable needs setting by hand.
#include <dlfcn.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "lib/capture/fork_guard.h"
#include "lib/capture/range_owner.h"
#include "nvtx_bridge/nvtx_status.h"

namespace prof::nvtx {
namespace {

constexpr char kVariable[] = "NVTX_INJECTION64_PATH";

char other_tool[PATH_MAX] = "";  // written before main()

bool SameFile(const char* a, const char* b) {
  struct stat stat_a {
  }, stat_b{};
  return stat(a, &stat_a) == 0 && stat(b, &stat_b) == 0 && stat_a.st_dev == stat_b.st_dev &&
         stat_a.st_ino == stat_b.st_ino;
}

// Our shim, which hands NVTX on to us.
bool IsShim(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return std::strcmp(slash != nullptr ? slash + 1 : path, "libprof_inject.so") == 0;
}

__attribute__((constructor)) void AttachNvtx() {
  capture::GuardAgainstFork();  // ranges may come, and forks, without any session
  capture::SetRangeOwnerQuery(&OtherNvtxTool);

  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&OtherNvtxTool), &self) == 0) return;
  const char* present = std::getenv(kVariable);
  if (present != nullptr && *present != '\0') {
    if (!SameFile(present, self.dli_fname) && !IsShim(present)) {
      std::strncpy(other_tool, present, sizeof(other_tool) - 1);
    }
    return;
  }
  // Absolute: the program may change its directory before its first NVTX call.
  char path[PATH_MAX];
  if (realpath(self.dli_fname, path) != nullptr) setenv(kVariable, path, 1);
}

}  // namespace

const char* OtherNvtxTool() {
  // A library that hands NVTX on to us is no other tool.
  return other_tool[0] != '\0' && !NvtxAttached() ? &other_tool[0] : nullptr;
}

}  // namespace prof::nvtx
