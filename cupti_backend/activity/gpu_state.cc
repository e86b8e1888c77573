// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/gpu_state.h"

#include <string>

namespace prof::cupti {

using capture::GpuStateKind;

void GpuState::Start(std::vector<capture::NoticeEvent>* notices) {
  const CUptiResult result = api_->activity_enable(CUPTI_ACTIVITY_KIND_ENVIRONMENT);
  on_ = result == CUPTI_SUCCESS;
  if (on_) return;
  notices->push_back({capture::Severity::kWarning, capture::Subsystem::kTimeline,
                      static_cast<uint32_t>(result),
                      "CUPTI does not record the clocks, temperature and power of the GPU: " +
                          ErrorText(*api_, result),
                      "check that nvidia-smi works here"});
}

void GpuState::EnableAgain() {
  if (on_) api_->activity_enable(CUPTI_ACTIVITY_KIND_ENVIRONMENT);
}

void GpuState::Pause() {
  if (on_) api_->activity_disable(CUPTI_ACTIVITY_KIND_ENVIRONMENT);
}

void GpuState::Stop() {
  Pause();
  on_ = false;
}

capture::GpuStateEvent GpuStateOf(const CUpti_ActivityEnvironment& r) {
  capture::GpuStateEvent event;
  event.device = r.deviceId;
  event.time_ns = static_cast<int64_t>(r.timestamp);
  switch (r.environmentKind) {
    case CUPTI_ACTIVITY_ENVIRONMENT_SPEED:
      event.kind = GpuStateKind::kClocks;
      event.value = r.data.speed.smClock;
      event.second = r.data.speed.memoryClock;
      event.reasons = static_cast<uint32_t>(r.data.speed.clocksThrottleReasons);
      break;
    case CUPTI_ACTIVITY_ENVIRONMENT_TEMPERATURE:
      event.kind = GpuStateKind::kTemperature;
      event.value = r.data.temperature.gpuTemperature;
      break;
    case CUPTI_ACTIVITY_ENVIRONMENT_POWER:
      event.kind = GpuStateKind::kPower;
      event.value = r.data.power.power;
      event.second = r.data.power.powerLimit;
      break;
    default:
      break;
  }
  return event;
}

}  // namespace prof::cupti
