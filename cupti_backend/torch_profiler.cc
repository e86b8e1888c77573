// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/torch_profiler.h"

#include <dlfcn.h>

namespace prof::cupti {

TorchProfilerEnabled FindTorchProfiler() {
  void* library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = dlsym(library, "_ZN5torch8profiler4impl15profilerEnabledEv");
  dlclose(library);  // gives back the reference only: PyTorch is never unloaded
  return reinterpret_cast<TorchProfilerEnabled>(found);
}

}  // namespace prof::cupti
