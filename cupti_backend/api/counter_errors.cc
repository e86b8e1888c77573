// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/counter_errors.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <system_error>

#include "lib/capture/environment.h"

namespace prof::cupti {
namespace {

constexpr const char* kTimelineIsComplete = "the timeline is complete without counters";

// What a CUPTI error means for counters, and the way out. docs/internals/counters.md has the same
// table.
struct Refusal {
  CUptiResult code;
  const char* what;
  const char* fix;
};
constexpr Refusal kRefusals[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "the driver restricts GPU counters to administrators",
     "run as root or with CAP_SYS_ADMIN; or let everybody count: echo 'options nvidia "
     "NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/nvidia-counters.conf, then "
     "reload the nvidia module, or update the initramfs and reboot; in a container: start it with "
     "--cap-add=SYS_ADMIN; under Slurm or another scheduler: ask its administrators for nodes that "
     "allow it (often a --constraint). See developer.nvidia.com/ERR_NVGPUCTRPERM"},
    {CUPTI_ERROR_HARDWARE_BUSY, "another program uses the GPU's counters",
     "stop it (DCGM: dcgmi profiling --pause; or ncu, nsys --gpu-metrics-devices, another prof): "
     "sampling begins when they are free"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "this is a virtual GPU without counters",
     "counters need a whole GPU, or a vGPU profile that has them"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "this is a virtual GPU, and its hypervisor does not let it count",
     "ask for the vGPU plugin parameter enable_profiling=1"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "confidential computing is on",
     "counters need a GPU with confidential computing off, or in its devtools mode"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "this is a CMP mining card, which has no counters",
     kTimelineIsComplete},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "this is a MIG instance that cannot be counted",
     "counters need the whole GPU (nvidia-smi -mig 0), or an instance that is not shared"},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "the GPU is in an SLI configuration",
     "switch SLI off (nvidia-xconfig --sli=off)"},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "WSL does not pass this GPU's counters on",
     "run under Linux itself, or allow counters to all users in the NVIDIA control panel of "
     "Windows"},
    {CUPTI_ERROR_INVALID_CHIP_NAME, "this CUPTI does not know this GPU",
     "use a newer CUPTI: PROF_CUPTI names its file or folder"},
};

const Refusal* FindRefusal(CUptiResult code) {
  const auto* found = std::find_if(std::begin(kRefusals), std::end(kRefusals),
                                   [&](const Refusal& refusal) { return refusal.code == code; });
  return found == std::end(kRefusals) ? nullptr : found;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// In a user namespace of its own a process has capabilities over that namespace alone, and the
// driver asks for those of the machine. The map of the first namespace is the whole range.
bool InUserNamespace(const std::string& user_map) {
  std::istringstream map(user_map);
  uint64_t inside = 0, outside = 0, length = 0;
  if (!(map >> inside >> outside >> length)) return false;  // unknown: CUPTI decides
  constexpr uint64_t kAllUsers = 0xFFFF'FFFF;
  return inside != 0 || outside != 0 || length != kAllUsers;
}

// CAP_SYS_ADMIN is bit 21 of the effective set.
bool HasSysAdmin(const std::string& status) {
  const size_t at = status.find("CapEff:");
  if (at == std::string::npos) return true;  // unknown: CUPTI decides
  const unsigned long long effective = std::strtoull(status.c_str() + at + 7, nullptr, 16);
  return (effective >> 21 & 1) != 0;
}

// Processes under `proc` with one of these names, as in /proc/<pid>/comm, which is cut after 15
// characters: "ncu (pid 812)".
std::string ProcessesNamed(const std::string& proc, std::initializer_list<const char*> names) {
  const std::string own = std::to_string(getpid());
  std::string found;
  std::error_code error;
  std::filesystem::directory_iterator entry(proc, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string pid = entry->path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos || pid == own) continue;
    std::string name = ReadAll(entry->path().string() + "/comm");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (!found.empty()) found += ", ";
    found.append(name).append(" (pid ").append(pid).append(")");
  }
  return found;
}

// The first obstacle that DeviceSupported reports.
CUptiResult ObstacleOf(const CUpti_Profiler_DeviceSupported_Params& params) {
  const auto off = [](CUpti_Profiler_Support_Level level) {
    return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
           level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
  };
  if (params.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
    return CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES;
  }
  if (off(params.vGpu)) return CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED;
  if (off(params.confidentialCompute)) return CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED;
  if (off(params.sli)) return CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED;
  if (off(params.cmp)) return CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED;
  if (off(params.wsl)) return CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED;
  return CUPTI_ERROR_NOT_SUPPORTED;
}

}  // namespace

bool RestrictsProfiling(const std::string& params) {
  const size_t at = params.find("RmProfilingAdminOnly:");
  return at != std::string::npos && std::strtol(params.c_str() + at + 21, nullptr, 10) == 1;
}

std::string CounterHolders(const std::string& proc) {
  return ProcessesNamed(
      proc, {"nv-hostengine", "dcgm-exporter", "dcgmi", "ncu", "nv-nsight-cu-cl", "nsys"});
}

bool MpsIsUsed(const std::string& proc, const std::string& pipes) {
  std::error_code error;
  // nvidia-cuda-mps-control and nvidia-cuda-mps-server.
  return std::filesystem::exists(pipes + "/control", error) ||
         !ProcessesNamed(proc, {"nvidia-cuda-mps"}).empty();
}

int64_t CounterRetryNs(int attempt) {
  constexpr int64_t kSecond = 1'000'000'000;
  return attempt >= 6 ? 60 * kSecond : kSecond << std::max(attempt, 0);
}

Problem ExplainCounterError(const CuptiApi& api, CUptiResult result, const char* action) {
  Problem problem;
  problem.code = static_cast<int>(result);
  if (const Refusal* refusal = FindRefusal(result)) {
    problem.what = refusal->what;
    problem.fix = refusal->fix;
  } else {
    problem.what = std::string("CUPTI could not ") + action;
    problem.fix = std::string(kTimelineIsComplete) + "; PROF_COUNTERS=none silences this";
    if (MpsIsUsed("/proc", capture::MpsPipeFolder())) {
      problem.what += " (the Multi-Process Service is in use here, and may be the reason)";
      problem.fix =
          "measure without MPS: echo quit | nvidia-cuda-mps-control, or another "
          "CUDA_MPS_PIPE_DIRECTORY for this program; " +
          problem.fix;
    }
  }
  if (result == CUPTI_ERROR_HARDWARE_BUSY) {
    const std::string holders = CounterHolders("/proc");
    if (!holders.empty()) problem.what += " (running here: " + holders + ")";
  }
  problem.what += ": " + ErrorText(api, result);
  return problem;
}

std::optional<Problem> FindCounterObstacle(const CuptiApi& api, CUdevice device,
                                           const HostFiles& files) {
  const bool admin = HasSysAdmin(ReadAll(files.process_status));
  const bool contained = admin && InUserNamespace(ReadAll(files.user_map));
  if (RestrictsProfiling(ReadAll(files.driver_params)) && (!admin || contained)) {
    const Refusal* refusal = FindRefusal(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    const char* const lacks =
        contained ? ", and this process has CAP_SYS_ADMIN in its user namespace only (a rootless "
                    "container)"
                  : ", and this process has no CAP_SYS_ADMIN";
    return Problem{static_cast<int>(refusal->code),
                   std::string(refusal->what) + " (RmProfilingAdminOnly: 1)" + lacks, refusal->fix};
  }
  CUpti_Profiler_DeviceSupported_Params params = {
      CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE};
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  // Where CUPTI does not answer, its use decides.
  if (api.profiler_device_supported(&params) != CUPTI_SUCCESS ||
      params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
    return std::nullopt;
  }
  const CUptiResult obstacle = ObstacleOf(params);
  const Refusal* refusal = FindRefusal(obstacle);
  std::string what = "this GPU cannot be counted";
  if (refusal != nullptr) {
    what += std::string(": ") + refusal->what;
  } else if (params.architecture != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
    what += ": this CUPTI has no range profiler for its architecture";
  }
  return Problem{static_cast<int>(obstacle), what + " (" + ErrorText(api, obstacle) + ")",
                 refusal != nullptr ? refusal->fix : kTimelineIsComplete};
}

}  // namespace prof::cupti
