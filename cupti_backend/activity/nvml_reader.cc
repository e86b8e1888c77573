// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/nvml_reader.h"

#include <algorithm>
#include <string>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/device_info.h"
#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

using capture::GpuStateEvent;
using capture::GpuStateKind;

constexpr int kNotFound = 6;  // NVML_ERROR_NOT_FOUND

// "0123..." -> "GPU-01234567-89ab-cdef-0123-456789abcdef", as NVML has it.
std::string NvmlUuid(const std::string& hex) {
  std::string text = "GPU-";
  for (size_t i = 0; i < hex.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    text += hex[i];
  }
  return text;
}

}  // namespace

std::optional<Problem> NvmlReader::Begin() {
  phase_ = Phase::kOver;
  const int begun = nvml_->init();
  if (begun != NvmlApi::kSuccess) {
    return Problem{begun, std::string("nvmlInit_v2: ") + nvml_->error_string(begun),
                   "check that nvidia-smi works here"};
  }
  int count = 0, last = kNotFound;
  if (driver_->device_get_count(&count) != CUDA_SUCCESS) count = 0;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    if (driver_->device_get(&device, i) != CUDA_SUCCESS) continue;
    NvmlDevice handle = nullptr;
    const int found = nvml_->handle_by_uuid(NvmlUuid(UuidOf(*driver_, device)).c_str(), &handle);
    if (found == NvmlApi::kSuccess) {
      devices_.push_back({static_cast<uint32_t>(i), handle});
    } else {
      last = found;
    }
  }
  if (devices_.empty()) {
    nvml_->shutdown();
    return Problem{last,
                   "NVML knows none of CUDA's " + std::to_string(count) +
                       " devices (nvmlDeviceGetHandleByUUID: " + nvml_->error_string(last) + ")",
                   "an instance of a divided GPU (MIG) has no clock of its own: see nvidia-smi"};
  }
  phase_ = Phase::kReads;
  return std::nullopt;
}

std::optional<Problem> NvmlReader::Read(std::vector<GpuStateEvent>* readings) {
  if (phase_ == Phase::kNew) {
    if (auto problem = Begin()) return problem;
  }
  const int64_t begin_ns = capture::MonotonicNs();
  if (phase_ == Phase::kOver || begin_ns < due_ns_) return std::nullopt;
  const size_t before = readings->size();
  for (const Device& device : devices_) ReadDevice(device, readings);
  if (readings->size() == before && due_ns_ == 0) {
    Stop();
    return Problem{0, "NVML gives no clock, temperature or power of any device",
                   "a virtual GPU may have none: see nvidia-smi on its host"};
  }
  const int64_t cost_ns = capture::MonotonicNs() - begin_ns;
  due_ns_ = begin_ns + std::max(kPeriodNs, kTimesOfCost * cost_ns);
  return std::nullopt;
}

// What a GPU does not have is left out.
void NvmlReader::ReadDevice(const Device& device, std::vector<GpuStateEvent>* readings) const {
  GpuStateEvent clocks{GpuStateKind::kClocks, device.id};
  unsigned long long reasons = 0;
  const auto clock = [&](int type, uint32_t* mhz) {
    return nvml_->clock_mhz(device.handle, type, mhz) == NvmlApi::kSuccess;
  };
  clocks.time_ns = capture::RealtimeNs();
  if (clock(NvmlApi::kSmClock, &clocks.value)) {
    if (!clock(NvmlApi::kMemoryClock, &clocks.second)) clocks.second = 0;
    if (nvml_->clock_reasons(device.handle, &reasons) != NvmlApi::kSuccess) {
      reasons = CUPTI_CLOCKS_THROTTLE_REASON_UNSUPPORTED;
    }
    clocks.reasons = static_cast<uint32_t>(reasons);
    readings->push_back(clocks);
  }
  GpuStateEvent heat{GpuStateKind::kTemperature, device.id};
  heat.time_ns = capture::RealtimeNs();
  if (nvml_->celsius(device.handle, NvmlApi::kGpuSensor, &heat.value) == NvmlApi::kSuccess) {
    readings->push_back(heat);
  }
  GpuStateEvent power{GpuStateKind::kPower, device.id};
  power.time_ns = capture::RealtimeNs();
  if (nvml_->power_mw(device.handle, &power.value) != NvmlApi::kSuccess) return;
  if (nvml_->power_limit_mw(device.handle, &power.second) != NvmlApi::kSuccess) power.second = 0;
  readings->push_back(power);
}

void NvmlReader::Stop() {
  if (phase_ == Phase::kReads) nvml_->shutdown();
  phase_ = Phase::kOver;
  devices_.clear();
}

}  // namespace prof::cupti
