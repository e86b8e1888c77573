// SPDX-License-Identifier: Apache-2.0
//
// libprof_inject.so: what LD_PRELOAD or CUDA_INJECTION64_PATH names. Linking libprof.so itself
// starts nothing; this does, once the program initializes CUDA. A tool that CUDA_INJECTION64_PATH
// named before us (nsys) is started first, as libcuda would have started it.
#include <dlfcn.h>
#include <limits.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

// Us, or another copy of us: then that one records, or has been asked to.
bool IsProf(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  return std::strcmp(name, "libprof_inject.so") == 0 || std::strncmp(name, "libprof.so", 10) == 0;
}

// In this library, whichever one the program's InitializeInjection is of.
const char own_data = 0;

bool IsEmpty(const char* value) { return value == nullptr || *value == '\0'; }

// Preloaded: libcuda does not know of us yet, so we name ourselves to it.
__attribute__((constructor)) void NameOurselvesToCuda() {
  Dl_info info{};
  if (dladdr(&own_data, &info) == 0) return;
  // Absolute: the program may change its folder before it initializes CUDA.
  char path[PATH_MAX];
  if (info.dli_fname == nullptr || realpath(info.dli_fname, path) == nullptr) return;
  const char* present = std::getenv(kVariable);
  if (IsEmpty(present)) {
    unsetenv(kNextVariable);  // who took the variable away meant that tool too
  } else if (SameFile(present, path) || IsProf(present)) {
    return;
  } else {
    setenv(kNextVariable, present, /*replace=*/1);
  }
  setenv(kVariable, path, /*replace=*/1);
}

void StartOtherTool() {
  static std::atomic<bool> started{false};
  const char* next = std::getenv(kNextVariable);
  if (IsEmpty(next) || started.exchange(true)) return;
  // As libcuda does it; never unloaded.
  void* library = dlopen(next, RTLD_LAZY);
  void* entry = library != nullptr ? dlsym(library, kEntry) : nullptr;
  Dl_info theirs{};
  if (entry == nullptr || dladdr(entry, &theirs) == 0) {
    std::fprintf(stderr, "prof: the tool that CUDA_INJECTION64_PATH named is not started: %s\n",
                 dlerror());
    return;
  }
  if (!IsProf(next) && !IsProf(theirs.dli_fname)) reinterpret_cast<int (*)()>(entry)();
}

}  // namespace

extern "C" int InitializeInjection() {
  StartOtherTool();
  return prof::StartInjectedRecording();
}
