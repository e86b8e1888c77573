// SPDX-License-Identifier: Apache-2.0
//
// The environment hook runs when libprof.so is loaded, and names us to NVTX in the environment.
// NVTX reads that at its first call in each library of the program, so nobody has to set a
// variable.
#include <dlfcn.h>

#include <climits>
#include <cstdlib>

#include "lib/capture/process/library_files.h"
#include "lib/capture/threads/range_status.h"
#include "lib/capture/threads/thread_recorder.h"
#include "nvtx_bridge/injection.h"
#include "nvtx_bridge/other_tool.h"

namespace prof::nvtx {
namespace {

constexpr char kVariable[] = "NVTX_INJECTION64_PATH";
// Names the tool behind us, for processes that inherit our environment.
constexpr char kNextVariable[] = "PROF_NVTX_NEXT";

const char* ToolThatBypassesUs() { return NvtxCallsBypassUs() ? OtherNvtxTool() : nullptr; }

__attribute__((constructor)) void AttachNvtx() {
  capture::GuardRangesAgainstFork();  // ranges may come, and forks, without any session
  capture::SetOtherNvtxToolQuery(&ToolThatBypassesUs);

  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&OtherNvtxTool), &self) == 0) return;
  // Absolute: the program may change its directory before its first NVTX call.
  char path[PATH_MAX];
  if (realpath(self.dli_fname, path) == nullptr) return;
  const auto is_ours = [&](const char* file) {
    return capture::SameFile(file, path) || capture::IsInjectLibrary(file);
  };
  const char* present = std::getenv(kVariable);
  const char* next = std::getenv(kNextVariable);
  if (present != nullptr && *present != '\0' && !is_ours(present)) {
    SetOtherNvtxTool(present);
    setenv(kNextVariable, present, 1);
    setenv(kVariable, path, 1);
    return;
  }
  if (present != nullptr && *present != '\0') {
    if (next != nullptr && !is_ours(next)) SetOtherNvtxTool(next);
    return;
  }
  if (next != nullptr) unsetenv(kNextVariable);  // who removed the variable meant that tool, too
  setenv(kVariable, path, 1);
}

}  // namespace

}  // namespace prof::nvtx
