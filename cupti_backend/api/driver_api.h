// SPDX-License-Identifier: Apache-2.0
//
// The driver API is a table of the few functions of libcuda that we call. It is loaded, never
// linked, and we never initialize it: a program that does not use the GPU stays that way.
#ifndef PROF_CUPTI_BACKEND_API_DRIVER_API_H_
#define PROF_CUPTI_BACKEND_API_DRIVER_API_H_

#include <cuda.h>

#include <optional>

#include "cupti_backend/api/problem.h"

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
  // May be missing: then RelaxedCapture does nothing.
  decltype(&::cuThreadExchangeStreamCaptureMode) thread_exchange_capture_mode = nullptr;
};

// Fills `api`, or returns why there is no usable libcuda.so.1.
[[nodiscard]] std::optional<Problem> LoadDriver(DriverApi* api);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_DRIVER_API_H_
