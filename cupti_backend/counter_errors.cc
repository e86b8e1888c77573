// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/counter_errors.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace prof::cupti {
namespace {

constexpr const char* kPrivilegeFix =
    "run as root or with CAP_SYS_ADMIN (containers: --cap-add=SYS_ADMIN), or let everybody count: "
    "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > "
    "/etc/modprobe.d/prof.conf and reload the nvidia module; on a cluster ask for it "
    "(developer.nvidia.com/ERR_NVGPUCTRPERM)";

std::string ReadAll(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// CAP_SYS_ADMIN is bit 21 of the effective set.
bool HasSysAdmin() {
  const std::string status = ReadAll("/proc/self/status");
  const size_t at = status.find("CapEff:");
  if (at == std::string::npos) return true;  // cannot tell: let CUPTI decide
  const unsigned long long effective = std::strtoull(status.c_str() + at + 7, nullptr, 16);
  return (effective >> 21 & 1) != 0;
}

}  // namespace

bool RestrictsProfiling(const std::string& params) {
  const size_t at = params.find("RmProfilingAdminOnly:");
  return at != std::string::npos && std::strtol(params.c_str() + at + 21, nullptr, 10) == 1;
}

CounterProblem ExplainCounterError(const CuptiApi& api, CUptiResult result, const char* action) {
  CounterProblem problem;
  problem.code = static_cast<int>(result);
  problem.what = std::string("CUPTI could not ") + action + ": " + ErrorText(api, result);
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      problem.what =
          "the driver restricts GPU counters to administrators: " + ErrorText(api, result);
      problem.fix = kPrivilegeFix;
      break;
    case CUPTI_ERROR_HARDWARE_BUSY:
      problem.what = "another program uses the GPU's counters: " + ErrorText(api, result);
      problem.fix =
          "stop it (DCGM: dcgmi profiling --pause; or ncu, nsys --gpu-metrics-devices, another "
          "prof) and run again";
      break;
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      problem.fix = "counters need a whole GPU; on a vGPU they need the hypervisor's permission";
      break;
    default:
      problem.fix = "the timeline is complete without counters; PROF_COUNTERS=none silences this";
      break;
  }
  return problem;
}

CounterProblem FindCounterObstacle(const CuptiApi& api, CUdevice device) {
  if (RestrictsProfiling(ReadAll("/proc/driver/nvidia/params")) && !HasSysAdmin()) {
    return {static_cast<int>(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
            "the driver restricts GPU counters to administrators (RmProfilingAdminOnly: 1), and "
            "this process has no CAP_SYS_ADMIN",
            kPrivilegeFix};
  }
  CUpti_Profiler_DeviceSupported_Params params = {
      CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE};
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (api.profiler_device_supported(&params) != CUPTI_SUCCESS) return {};  // let CUPTI's use decide
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return {};
  const std::pair<CUpti_Profiler_Support_Level, const char*> reasons[] = {
      {params.architecture, "its architecture has no range profiler in this CUPTI"},
      {params.sli, "it is in an SLI configuration"},
      {params.vGpu, "it is a vGPU without permission for counters"},
      {params.confidentialCompute, "confidential computing is on"},
      {params.cmp, "it is a CMP mining card"},
      {params.wsl, "WSL does not pass counters on"}};
  CounterProblem problem;
  problem.code = static_cast<int>(CUPTI_ERROR_NOT_SUPPORTED);
  problem.what = "this GPU cannot be counted";
  for (const auto& [level, text] : reasons) {
    const bool obstacle = level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
                          level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
    if (obstacle) problem.what += std::string(": ") + text;
  }
  problem.fix = "the timeline is complete without counters";
  return problem;
}

}  // namespace prof::cupti
