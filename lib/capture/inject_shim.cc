// SPDX-License-Identifier: Apache-2.0
//
// The injection shim is libprof_inject.so, which LD_PRELOAD or CUDA_INJECTION64_PATH names. It
// starts the recording once the program initializes CUDA; libprof.so itself starts nothing. A tool
// that CUDA_INJECTION64_PATH named before us (nsys) is started first, as libcuda would have started
// it. Preloaded, it also sees the ends of a process that no handler sees: _exit() and _Exit(), with
// which workers of Python's multiprocessing end.
#include <dlfcn.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lib/capture/injection.h"
#include "lib/capture/process/early_enough.h"
#include "lib/capture/process/library_files.h"

namespace {

using prof::capture::FileName;
using prof::capture::IsInjectLibrary;
using prof::capture::MayChangeEnvironment;
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

// What the libraries behind us do at _exit(): looked up early, because that may come in a signal
// handler. Null: the system call.
std::atomic<void (*)(int)> next_exit{nullptr};

__attribute__((constructor)) void FindNextExit() {
  next_exit.store(reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "_exit")));
}

[[noreturn]] void EndProcess(int status) {
  prof::FinishBeforeExit();
  if (auto* next = next_exit.load()) next(status);
  while (true) syscall(SYS_exit_group, status);
}

// When we are preloaded, libcuda does not know of us yet: so we name ourselves to it. Nothing is
// done where the environment is not to be trusted (a program with capabilities or setuid), or where
// another thread may read the environment while we change it.
__attribute__((constructor)) void NameOurselvesToCuda() {
  if (getauxval(AT_SECURE) != 0) return;
  Dl_info info{};
  if (dladdr(&own_data, &info) == 0) return;
  // Absolute: the program may change its folder before it initializes CUDA.
  char path[PATH_MAX];
  if (info.dli_fname == nullptr || realpath(info.dli_fname, path) == nullptr) return;
  const char* present = secure_getenv(kVariable);
  if (present != nullptr && (SameFile(present, path) || IsProf(present))) return;
  if (!MayChangeEnvironment(secure_getenv("LD_PRELOAD"))) return;  // who loads us calls us, too
  if (present == nullptr || *present == '\0') {
    unsetenv(kNextVariable);  // who removed the variable meant that tool, too
  } else {
    setenv(kNextVariable, present, /*replace=*/1);
  }
  setenv(kVariable, path, /*replace=*/1);
}

// torch.profiler (Kineto) would end CUPTI for the whole process when it ends: with this it does
// not. The user's choice stays.
__attribute__((constructor)) void KeepCupti() {
  if (getauxval(AT_SECURE) != 0 || !MayChangeEnvironment(secure_getenv("LD_PRELOAD"))) return;
  setenv("TEARDOWN_CUPTI", "0", /*replace=*/0);
}

void StartOtherTool() {
  static std::atomic<bool> started{false};
  const char* next = secure_getenv(kNextVariable);
  if (next == nullptr || *next == '\0' || started.exchange(true)) return;
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

extern "C" {

int InitializeInjection() {
  StartOtherTool();
  return prof::StartInjectedRecording();
}

__attribute__((visibility("default"))) void _exit(int status) { EndProcess(status); }
__attribute__((visibility("default"))) void _Exit(int status) noexcept { EndProcess(status); }
}
