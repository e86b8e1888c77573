// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/gpu_state.h"

#include <string>
#include <utility>

namespace prof::cupti {

using capture::GpuStateKind;

namespace {

capture::NoticeEvent NoReadings(int code, const std::string& why, std::string fix) {
  return {capture::Severity::kWarning, capture::Subsystem::kTimeline, static_cast<uint32_t>(code),
          "the clocks, temperature and power of the GPU are not recorded: " + why, std::move(fix)};
}

}  // namespace

void GpuState::Start(std::vector<capture::NoticeEvent>* notices) {
  const CUptiResult result = api_->activity_enable(CUPTI_ACTIVITY_KIND_ENVIRONMENT);
  on_ = result == CUPTI_SUCCESS;
  if (on_) return;
  if (auto problem = load_nvml_(&nvml_)) {
    notices->push_back(NoReadings(
        result, "CUPTI refuses with " + ErrorText(*api_, result) + ", and " + problem->what,
        std::move(problem->fix)));
    return;
  }
  reader_.emplace(&nvml_, driver_);
}

void GpuState::Gather(std::vector<capture::GpuStateEvent>* readings,
                      std::vector<capture::NoticeEvent>* notices) {
  if (!reader_) return;
  if (auto problem = reader_->Read(readings)) {
    notices->push_back(NoReadings(problem->code, problem->what, std::move(problem->fix)));
  }
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
  reader_.reset();
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
