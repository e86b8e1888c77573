// SPDX-License-Identifier: Apache-2.0
//
// The environment hook runs when libprof.so is loaded, and names us to NVTX in the environment.
// NVTX reads that at its first call in each library of the program, so nobody has to set a
// variable.
#include <dlfcn.h>
#include <sys/auxv.h>

#include <atomic>
#include <climits>
#include <cstdlib>

#include "lib/capture/process/early_enough.h"
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

std::atomic<bool> came_late{false};

bool NobodyCallsUs() { return came_late.load() && !NvtxAttached(); }

const char* ToolThatBypassesUs() { return NvtxCallsBypassUs() ? OtherNvtxTool() : nullptr; }

__attribute__((constructor)) void AttachNvtx() {
  capture::GuardRangesAgainstFork();  // ranges may come, and forks, without any session
  capture::SetOtherNvtxToolQuery(&ToolThatBypassesUs);
  capture::SetNvtxUnnamedQuery(&NobodyCallsUs);
  // A program with capabilities or setuid: its user, who chose the environment, has fewer rights.
  if (getauxval(AT_SECURE) != 0) return;

  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&OtherNvtxTool), &self) == 0) return;
  // Absolute: the program may change its directory before its first NVTX call.
  char path[PATH_MAX];
  if (realpath(self.dli_fname, path) == nullptr) return;
  const auto is_ours = [&](const char* file) {
    return capture::SameFile(file, path) || capture::IsInjectLibrary(file);
  };
  const char* present = secure_getenv(kVariable);
  const char* next = secure_getenv(kNextVariable);
  const bool named = present != nullptr && *present != '\0' && is_ours(present);
  if (!named && !capture::MayChangeEnvironment(secure_getenv("LD_PRELOAD"))) {
    came_late.store(true);
    return;
  }
  if (present != nullptr && *present != '\0' && !named) {
    SetOtherNvtxTool(present);
    setenv(kNextVariable, present, 1);
    setenv(kVariable, path, 1);
    return;
  }
  if (named) {
    if (next != nullptr && !is_ours(next)) SetOtherNvtxTool(next);
    return;
  }
  if (next != nullptr) unsetenv(kNextVariable);  // who removed the variable meant that tool, too
  setenv(kVariable, path, 1);
}

}  // namespace

}  // namespace prof::nvtx
