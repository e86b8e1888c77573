// SPDX-License-Identifier: Apache-2.0
//
// The few functions of libcuda that we call ourselves, from our own thread. Loaded, never linked,
// and never initialized by us: a program that does not use the GPU stays that way.
#ifndef PROF_CUPTI_BACKEND_API_DRIVER_API_H_
#define PROF_CUPTI_BACKEND_API_DRIVER_API_H_

#include <cuda.h>

#include <string>

namespace prof::cupti {

#define PROF_DRIVER_FUNCTIONS(X)                \
  X(driver_get_version, cuDriverGetVersion)     \
  X(device_get_count, cuDeviceGetCount)         \
  X(device_get, cuDeviceGet)                    \
  X(device_get_name, cuDeviceGetName)           \
  X(device_get_attribute, cuDeviceGetAttribute) \
  X(device_get_uuid, cuDeviceGetUuid_v2)        \
  X(device_total_mem, cuDeviceTotalMem_v2)      \
  X(ctx_get_current, cuCtxGetCurrent)           \
  X(ctx_set_current, cuCtxSetCurrent)           \
  X(ctx_get_device, cuCtxGetDevice)             \
  X(stream_is_capturing, cuStreamIsCapturing)   \
  X(stream_query, cuStreamQuery)                \
  X(func_get_attribute, cuFuncGetAttribute)     \
  X(kernel_get_attribute, cuKernelGetAttribute)

struct DriverApi {
#define PROF_DRIVER_FIELD(field, symbol) decltype(&::symbol) field = nullptr;
  PROF_DRIVER_FUNCTIONS(PROF_DRIVER_FIELD)
#undef PROF_DRIVER_FIELD
  // cuCtxSynchronize became a macro for a version with an argument; we use the old one.
  CUresult(CUDAAPI* ctx_synchronize)() = nullptr;
};

// False, with the reason, when there is no usable libcuda.so.1.
bool LoadDriver(DriverApi* api, std::string* what, std::string* fix);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_DRIVER_API_H_
