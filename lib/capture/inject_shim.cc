// SPDX-License-Identifier: Apache-2.0
//
// libprof_inject.so: what LD_PRELOAD or CUDA_INJECTION64_PATH names. Linking libprof.so itself
// starts nothing; this does, once the program initializes CUDA. A tool that CUDA_INJECTION64_PATH
// named before us (nsys) is started first, as libcuda would have started it.
#include <dlfcn.h>
#include <limits.h>
#include <sys/stat.h>

#include <cstdlib>
#include <mutex>

#include "lib/capture/injection.h"

namespace {

constexpr char kVariable[] = "CUDA_INJECTION64_PATH";
// The tool behind us, for processes that inherit our environment.
constexpr char kNextVariable[] = "PROF_CUDA_NEXT";
constexpr char kEntry[] = "InitializeInjection";

bool SameFile(const char* a, const char* b) {
  struct stat stat_a {
  }, stat_b{};
  return stat(a, &stat_a) == 0 && stat(b, &stat_b) == 0 && stat_a.st_dev == stat_b.st_dev &&
         stat_a.st_ino == stat_b.st_ino;
}

bool IsEmpty(const char* value) { return value == nullptr || *value == '\0'; }

// Preloaded: libcuda does not know of us yet, so we name ourselves to it.
__attribute__((constructor)) void NameOurselvesToCuda() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&InitializeInjection), &info) == 0) return;
  // Absolute: the program may change its folder before it initializes CUDA.
  char path[PATH_MAX];
  if (info.dli_fname == nullptr || realpath(info.dli_fname, path) == nullptr) return;
  const char* present = std::getenv(kVariable);
  if (IsEmpty(present)) {
    unsetenv(kNextVariable);  // who took the variable away meant that tool too
  } else if (SameFile(present, path)) {
    return;
  } else {
    setenv(kNextVariable, present, /*replace=*/1);
  }
  setenv(kVariable, path, /*replace=*/1);
}

void StartOtherTool() {
  const char* next = std::getenv(kNextVariable);
  // As libcuda does it; never unloaded.
  void* library = IsEmpty(next) ? nullptr : dlopen(next, RTLD_LAZY);
  void* entry = library != nullptr ? dlsym(library, kEntry) : nullptr;
  Dl_info ours{}, theirs{};
  const bool is_theirs = entry != nullptr && dladdr(entry, &theirs) != 0 &&
                         dladdr(reinterpret_cast<void*>(&InitializeInjection), &ours) != 0 &&
                         theirs.dli_fbase != ours.dli_fbase;
  if (is_theirs) reinterpret_cast<int (*)()>(entry)();
}

}  // namespace

extern "C" int InitializeInjection() {
  static std::once_flag once;
  std::call_once(once, &StartOtherTool);
  return prof::StartInjectedRecording();
}
