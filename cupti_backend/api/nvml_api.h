// SPDX-License-Identifier: Apache-2.0
//
// The NVML API is a table of the few functions of NVML that we call. NVML comes with the driver;
// its header does not come with every toolkit, so they are declared here. It is loaded, never
// linked.
#ifndef PROF_CUPTI_BACKEND_API_NVML_API_H_
#define PROF_CUPTI_BACKEND_API_NVML_API_H_

#include <optional>

#include "cupti_backend/api/problem.h"

namespace prof::cupti {

using NvmlDevice = struct nvmlDevice_st*;

// Each function returns an nvmlReturn_t.
struct NvmlApi {
  static constexpr int kSuccess = 0;
  static constexpr int kSmClock = 1, kMemoryClock = 2;  // nvmlClockType_t
  static constexpr int kGpuSensor = 0;                  // nvmlTemperatureSensors_t

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*handle_by_uuid)(const char* uuid, NvmlDevice* device) = nullptr;
  int (*clock_mhz)(NvmlDevice device, int type, unsigned* mhz) = nullptr;
  int (*clock_reasons)(NvmlDevice device, unsigned long long* reasons) = nullptr;
  int (*celsius)(NvmlDevice device, int sensor, unsigned* celsius) = nullptr;
  int (*power_mw)(NvmlDevice device, unsigned* milliwatts) = nullptr;
  int (*power_limit_mw)(NvmlDevice device, unsigned* milliwatts) = nullptr;
};

// Fills `api`, or returns why there is no usable libnvidia-ml.so.1.
[[nodiscard]] std::optional<Problem> LoadNvml(NvmlApi* api);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_NVML_API_H_
