// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/range_profiler.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace prof::cupti {
namespace {

// Images that CUPTI may still use. Never freed, and reachable for leak checkers.
struct LeftImages {
  std::vector<uint8_t> config, data;
  LeftImages* next;
};

void Leave(std::vector<uint8_t> config, std::vector<uint8_t> data) {
  static std::atomic<LeftImages*> left{nullptr};
  auto* images = new LeftImages{std::move(config), std::move(data), left.load()};
  while (!left.compare_exchange_weak(images->next, images)) {
  }
}

}  // namespace

RangeProfiler::~RangeProfiler() {
  if (object_ != nullptr) Leave(std::move(config_image_), std::move(counter_data_));
}

CUptiResult RangeProfiler::Enable(const PassPlan& plan) {
  CUpti_RangeProfiler_Enable_Params params = {CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
  params.ctx = context_;
  CUptiResult result = api_->range_enable(&params);
  if (result != CUPTI_SUCCESS) return result;
  object_ = params.pRangeProfilerObject;
  size_t config_bytes = 0;
  size_t data_bytes = 0;
  for (const PlannedGroup& group : plan.groups) {
    size_t bytes = 0;
    result = CounterDataSize(group, &bytes);
    if (result != CUPTI_SUCCESS) return result;
    config_bytes = std::max(config_bytes, group.config_image.size());
    data_bytes = std::max(data_bytes, bytes);
  }
  config_image_.resize(config_bytes);
  counter_data_.resize(data_bytes);
  return CUPTI_SUCCESS;
}

CUptiResult RangeProfiler::CountSoftwareFirst(const PassPlan& plan) {
  const auto software =
      std::find_if(plan.groups.begin(), plan.groups.end(), [](const PlannedGroup& group) {
        return std::any_of(group.metrics.begin(), group.metrics.end(), IsSoftware);
      });
  if (software == plan.groups.end()) return CUPTI_SUCCESS;
  CUptiResult result = Configure(*software);
  if (result == CUPTI_SUCCESS) result = StartCounting();
  if (result == CUPTI_SUCCESS) result = StopCounting();
  return result;
}

CUptiResult RangeProfiler::CounterDataSize(const PlannedGroup& group, size_t* bytes) const {
  std::vector<const char*> names;
  for (const std::string& metric : group.metrics) names.push_back(metric.c_str());
  CUpti_RangeProfiler_GetCounterDataSize_Params size = {
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = max_ranges();
  size.maxNumRangeTreeNodes = static_cast<uint32_t>(max_ranges());
  const CUptiResult result = api_->range_get_counter_data_size(&size);
  *bytes = size.counterDataSize;
  return result;
}

CUptiResult RangeProfiler::Configure(const PlannedGroup& group) {
  CUptiResult result = CounterDataSize(group, &counter_data_bytes_);
  if (result != CUPTI_SUCCESS) return result;
  if (counter_data_bytes_ > counter_data_.size() ||
      group.config_image.size() > config_image_.size()) {
    return CUPTI_ERROR_INVALID_PARAMETER;  // not a group of the plan that Enable was given
  }
  std::copy(group.config_image.begin(), group.config_image.end(), config_image_.begin());
  std::fill_n(counter_data_.begin(), counter_data_bytes_, uint8_t{0});
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params init = {
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
  init.pRangeProfilerObject = object_;
  init.counterDataSize = counter_data_bytes_;
  init.pCounterData = counter_data_.data();
  result = api_->range_counter_data_initialize(&init);
  if (result != CUPTI_SUCCESS) return result;

  CUpti_RangeProfiler_SetConfig_Params config = {CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
  config.pRangeProfilerObject = object_;
  config.configSize = group.config_image.size();
  config.pConfig = config_image_.data();
  config.counterDataImageSize = counter_data_bytes_;
  config.pCounterDataImage = counter_data_.data();
  const bool replay = mode_ == Mode::kReplayedKernels;
  config.range = replay ? CUPTI_AutoRange : CUPTI_UserRange;
  config.replayMode = replay ? CUPTI_KernelReplay : CUPTI_UserReplay;
  config.maxRangesPerPass = max_ranges();
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = 0;
  config.targetNestingLevel = 1;
  return api_->range_set_config(&config);
}

CUptiResult RangeProfiler::StartCounting() {
  CUpti_RangeProfiler_Start_Params params = {CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
  params.pRangeProfilerObject = object_;
  return api_->range_start(&params);
}

CUptiResult RangeProfiler::StopCounting() {
  CUpti_RangeProfiler_Stop_Params params = {CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
  params.pRangeProfilerObject = object_;
  return api_->range_stop(&params);
}

// A replaying profiler replays every kernel between Start and Stop, so it is started only for the
// chosen ones.
CUptiResult RangeProfiler::Start() {
  return mode_ == Mode::kUserRanges ? StartCounting() : CUPTI_SUCCESS;
}

CUptiResult RangeProfiler::Stop() {
  return mode_ == Mode::kUserRanges ? StopCounting() : CUPTI_SUCCESS;
}

CUptiResult RangeProfiler::Push(const char* name) {
  if (mode_ == Mode::kReplayedKernels) return StartCounting();
  CUpti_RangeProfiler_PushRange_Params params = {CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE};
  params.pRangeProfilerObject = object_;
  params.pRangeName = name;
  return api_->range_push(&params);
}

CUptiResult RangeProfiler::Pop() {
  if (mode_ == Mode::kReplayedKernels) return StopCounting();
  CUpti_RangeProfiler_PopRange_Params params = {CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE};
  params.pRangeProfilerObject = object_;
  return api_->range_pop(&params);
}

CUptiResult RangeProfiler::Decode(size_t* ranges) {
  *ranges = 0;
  CUpti_RangeProfiler_DecodeData_Params decode = {
      CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
  decode.pRangeProfilerObject = object_;
  const CUptiResult result = api_->range_decode(&decode);
  if (result != CUPTI_SUCCESS) return result;
  CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE};
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_bytes_;
  const CUptiResult info_result = api_->range_get_counter_data_info(&info);
  if (info_result == CUPTI_SUCCESS) *ranges = info.numTotalRanges;
  return info_result;
}

CUptiResult RangeProfiler::Disable() {
  if (object_ == nullptr) return CUPTI_SUCCESS;
  CUpti_RangeProfiler_Disable_Params params = {CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
  params.pRangeProfilerObject = object_;
  const CUptiResult result = api_->range_disable(&params);
  if (result == CUPTI_SUCCESS) object_ = nullptr;
  return result;
}

}  // namespace prof::cupti
