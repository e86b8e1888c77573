// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/driver_api.h"

#include <dlfcn.h>

#include <string>

namespace prof::cupti {
namespace {

Problem Missing(const char* symbol) {
  return {0, std::string("the NVIDIA driver has no ") + symbol,
          "prof needs a driver for CUDA 12.0 (525) or newer"};
}

}  // namespace

std::optional<Problem> LoadDriver(DriverApi* api) {
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Problem{0, "there is no NVIDIA driver: libcuda.so.1 was not found",
                   "run on a machine with an NVIDIA GPU (in a container: with the GPU passed in)"};
  }
#define PROF_DRIVER_LOAD(field, symbol)                                        \
  api->field = reinterpret_cast<decltype(api->field)>(dlsym(handle, #symbol)); \
  if (api->field == nullptr) return Missing(#symbol);
  PROF_DRIVER_FUNCTIONS(PROF_DRIVER_LOAD)
#undef PROF_DRIVER_LOAD
  api->ctx_synchronize =
      reinterpret_cast<decltype(api->ctx_synchronize)>(dlsym(handle, "cuCtxSynchronize"));
  api->thread_exchange_capture_mode = reinterpret_cast<decltype(api->thread_exchange_capture_mode)>(
      dlsym(handle, "cuThreadExchangeStreamCaptureMode"));
  if (api->ctx_synchronize == nullptr) return Missing("cuCtxSynchronize");
  return std::nullopt;
}

}  // namespace prof::cupti
