// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/nvml_api.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

namespace prof::cupti {

std::optional<Problem> LoadNvml(NvmlApi* api) {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // stays
  if (library == nullptr) {
    return Problem{0, "libnvidia-ml.so.1 was not found",
                   "in a container: pass the driver's utilities in "
                   "(NVIDIA_DRIVER_CAPABILITIES=compute,utility)"};
  }
  std::string missing;
  const auto load = [&](auto* function, const char* symbol) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(library, symbol));
    if (*function == nullptr && missing.empty()) missing = symbol;
  };
  load(&api->init, "nvmlInit_v2");
  load(&api->shutdown, "nvmlShutdown");
  load(&api->error_string, "nvmlErrorString");
  load(&api->handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  load(&api->clock_mhz, "nvmlDeviceGetClockInfo");
  // Its name before CUDA 12.1, which newer drivers still have.
  load(&api->clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  load(&api->celsius, "nvmlDeviceGetTemperature");
  load(&api->power_mw, "nvmlDeviceGetPowerUsage");
  load(&api->power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit");
  if (missing.empty()) return std::nullopt;
  return Problem{0, "libnvidia-ml.so.1 has no " + missing, "install a newer driver"};
}

}  // namespace prof::cupti
