// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/driver_api.h"

#include <dlfcn.h>

namespace prof::cupti {

bool LoadDriver(DriverApi* api, std::string* what, std::string* fix) {
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    *what = "there is no NVIDIA driver: libcuda.so.1 was not found";
    *fix = "run on a machine with an NVIDIA GPU (in a container: with the GPU passed in)";
    return false;
  }
#define PROF_DRIVER_LOAD(field, symbol)                                        \
  api->field = reinterpret_cast<decltype(api->field)>(dlsym(handle, #symbol)); \
  if (api->field == nullptr) {                                                 \
    *what = "the NVIDIA driver has no " #symbol;                               \
    *fix = "prof needs a driver for CUDA 13.0 (580) or newer";                 \
    return false;                                                              \
  }
  PROF_DRIVER_FUNCTIONS(PROF_DRIVER_LOAD)
#undef PROF_DRIVER_LOAD
  api->ctx_synchronize =
      reinterpret_cast<decltype(api->ctx_synchronize)>(dlsym(handle, "cuCtxSynchronize"));
  return api->ctx_synchronize != nullptr;
}

}  // namespace prof::cupti
