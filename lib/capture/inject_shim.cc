// SPDX-License-Identifier: Apache-2.0
//
// The injection shim is libprof_inject.so, which LD_PRELOAD or CUDA_INJECTION64_PATH names. It
// starts the recording once the program initializes CUDA; libprof.so itself starts nothing. A tool
// that CUDA_INJECTION64_PATH named before us (nsys) is started first, as libcuda would have started
// it.
#include <dlfcn.h>
#include <limits.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lib/capture/injection.h"
#include "lib/capture/process/library_files.h"

namespace {

using prof::capture::FileName;
using prof::capture::IsInjectLibrary;
using prof::capture::SameFile;

constexpr char kVariable[] = "CUDA_INJECTION64_PATH";
// Names the tool behind us, for processes that inherit our environment.
constexpr char kNextVariable[] = "PROF_CUDA_NEXT";
constexpr char kEntry[] = "InitializeInjection";

// Whether it is prof: this copy, or another one that records or was asked to.
bool IsProf(const char* path) {
  return IsInjectLibrary(path) || std::strncmp(FileName(path), "libprof.so", 10) == 0;
}

// An address in this library. The program's InitializeInjection may be another library's.
const char own_data = 0;

bool IsEmpty(const char* value) { return value == nullptr || *value == '\0'; }

// When we are preloaded, libcuda does not know of us yet: so we name ourselves to it.
__attribute__((constructor)) void NameOurselvesToCuda() {
  Dl_info info{};
  if (dladdr(&own_data, &info) == 0) return;
  // Absolute: the program may change its folder before it initializes CUDA.
  char path[PATH_MAX];
  if (info.dli_fname == nullptr || realpath(info.dli_fname, path) == nullptr) return;
  const char* present = std::getenv(kVariable);
  if (IsEmpty(present)) {
    unsetenv(kNextVariable);  // who removed the variable meant that tool, too
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
  // Loaded as libcuda does it, and never unloaded.
  void* library = dlopen(next, RTLD_LAZY);
  void* entry = library != nullptr ? dlsym(library, kEntry) : nullptr;
  Dl_info theirs{};
  if (entry == nullptr || dladdr(entry, &theirs) == 0) {
    const char* why = dlerror();
    std::fprintf(stderr,
                 "prof: %s, which CUDA_INJECTION64_PATH named, is not started: %s; correct the "
                 "variable or unset it\n",
                 next, why != nullptr ? why : "it has no entry");
    return;
  }
  if (!IsProf(next) && !IsProf(theirs.dli_fname)) reinterpret_cast<int (*)()>(entry)();
}

}  // namespace

extern "C" int InitializeInjection() {
  StartOtherTool();
  return prof::StartInjectedRecording();
}
