// SPDX-License-Identifier: Apache-2.0
//
// libprof_inject.so: what LD_PRELOAD or CUDA_INJECTION64_PATH names. Linking libprof.so itself
// starts nothing; this does, once the program initializes CUDA.
#include <dlfcn.h>
#include <limits.h>

#include <cstdlib>

#include "lib/capture/injection.h"

extern "C" int InitializeInjection() { return prof::StartInjectedRecording(); }

namespace {

// Preloaded: libcuda does not know of us yet, so we name ourselves to it. A value that is already
// there belongs to another tool and stays.
__attribute__((constructor)) void NameOurselvesToCuda() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&InitializeInjection), &info) == 0) return;
  // Absolute: the program may change its folder before it initializes CUDA.
  char path[PATH_MAX];
  if (info.dli_fname == nullptr || realpath(info.dli_fname, path) == nullptr) return;
  setenv("CUDA_INJECTION64_PATH", path, /*replace=*/0);
}

}  // namespace
