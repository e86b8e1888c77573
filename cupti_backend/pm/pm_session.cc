// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_session.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "cupti_backend/api/cupti_versions.h"
#include "cupti_backend/pm/steady_samples.h"
#include "lib/capture/process/clock.h"
#include "lib/format/triage_metrics.h"

namespace prof::cupti {
namespace {

constexpr uint32_t kKeptOfIdle = 8;  // one of so many
// CUPTI's clock and the host's are less than a millisecond apart (H200).
constexpr int64_t kMostApartNs = 100'000'000;

// DRAM's and the SMs': a copy uses the one, a kernel the other.
std::vector<std::string> ActivityIn(const std::vector<std::string>& metrics) {
  std::vector<std::string> activity;
  for (const std::string& metric : metrics) {
    const format::TriageMetric* known = format::FindTriageMetric(metric);
    if (known == nullptr) continue;
    const bool chosen =
        known->unit == format::TriageUnit::kDram || known->unit == format::TriageUnit::kSmActive;
    if (chosen) activity.push_back(metric);
  }
  return activity.size() == 2 ? activity : std::vector<std::string>{};
}

}  // namespace

CUptiResult PmSession::Open(const PmPass& pass, int64_t interval_ns, const Sizes& sizes) {
  metrics_ = pass.metrics;
  activity_ = ActivityIn(metrics_);
  config_ = pass.config_image;
  room_ = sizes.room;
  interval_ns_ = interval_ns;
  opened_ns_ = capture::RealtimeNs();
  last_end_ns_ = 0;
  CUpti_PmSampling_Enable_Params enable = {CUpti_PmSampling_Enable_Params_STRUCT_SIZE};
  enable.deviceIndex = static_cast<size_t>(device_);
  CUptiResult result = api_->pm_enable(&enable);
  if (result != CUPTI_SUCCESS) return result;
  object_ = enable.pPmSamplingObject;
  result = Configure(sizes);
  if (result != CUPTI_SUCCESS) Close();
  return result;
}

CUptiResult PmSession::Configure(const Sizes& sizes) {
  CUpti_PmSampling_SetConfig_Params config = {CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE};
  // CUPTI before 12.8 does not have the last field.
  if (api_->version < kCupti12_8) {
    config.structSize = offsetof(CUpti_PmSampling_SetConfig_Params, hwBufferAppendMode);
  }
  config.pPmSamplingObject = object_;
  config.configSize = config_.size();
  config.pConfig = config_.data();
  config.hardwareBufferSize = sizes.hardware_buffer_bytes;
  config.samplingInterval = static_cast<uint64_t>(interval_ns_);
  config.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  const CUptiResult result = api_->pm_set_config(&config);
  if (result != CUPTI_SUCCESS) return result;
  blank_.clear();
  return ResetImage();
}

CUptiResult PmSession::ResetImage() {
  next_sample_ = 0;
  if (!blank_.empty()) {
    image_ = blank_;
    return CUPTI_SUCCESS;
  }
  std::vector<const char*> names;
  names.reserve(metrics_.size());
  for (const std::string& metric : metrics_) names.push_back(metric.c_str());
  CUpti_PmSampling_GetCounterDataSize_Params size = {
      CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE};
  size.pPmSamplingObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxSamples = room_;
  CUptiResult result = api_->pm_get_counter_data_size(&size);
  if (result != CUPTI_SUCCESS) return result;
  image_.assign(size.counterDataSize, 0);
  CUpti_PmSampling_CounterDataImage_Initialize_Params init = {
      CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE};
  init.pPmSamplingObject = object_;
  init.counterDataSize = image_.size();
  init.pCounterData = image_.data();
  result = api_->pm_counter_data_initialize(&init);
  if (result == CUPTI_SUCCESS) blank_ = image_;
  return result;
}

CUptiResult PmSession::Start() {
  CUpti_PmSampling_Start_Params start = {CUpti_PmSampling_Start_Params_STRUCT_SIZE};
  start.pPmSamplingObject = object_;
  const CUptiResult result = api_->pm_start(&start);
  started_ = result == CUPTI_SUCCESS;
  first_ = true;
  steady_ = false;
  return result;
}

CUptiResult PmSession::Stop() {
  if (!started_) return CUPTI_SUCCESS;
  CUpti_PmSampling_Stop_Params stop = {CUpti_PmSampling_Stop_Params_STRUCT_SIZE};
  stop.pPmSamplingObject = object_;
  started_ = false;
  return api_->pm_stop(&stop);
}

// To evaluate two metrics costs a tenth of all.
bool PmSession::Idle(const MetricEvaluator& evaluator, size_t sample) const {
  constexpr double kNothing = 0.1;  // percent
  const std::vector<double> values =
      evaluator.Evaluate(image_.data(), image_.size(), sample, activity_);
  return !values.empty() &&
         std::all_of(values.begin(), values.end(), [](double value) { return value < kNothing; });
}

// Such samples would count to the wrong kernels, or to none. The first one after a Start begins
// long before, and ends when it should.
bool PmSession::IsMisdated(int64_t end_ns, int64_t now_ns) const {
  return end_ns < opened_ns_ - kMostApartNs || end_ns > now_ns + kMostApartNs;
}

CUptiResult PmSession::Decode(const MetricEvaluator& evaluator, Idleness idleness,
                              capture::PmBatchEvent* batch) {
  CUpti_PmSampling_DecodeData_Params decode = {CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE};
  decode.pPmSamplingObject = object_;
  decode.pCounterDataImage = image_.data();
  decode.counterDataImageSize = image_.size();
  CUptiResult result = api_->pm_decode(&decode);
  if (result != CUPTI_SUCCESS) return result;
  CUpti_PmSampling_GetCounterDataInfo_Params info = {
      CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE};
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  result = api_->pm_get_counter_data_info(&info);
  if (result != CUPTI_SUCCESS) return result;
  // Where the samples of this fetch begin: at the start if CUPTI has started the image again.
  CUpti_PmSampling_CounterData_GetSampleInfo_Params sample{};
  const size_t samples = info.numCompletedSamples;
  if (next_sample_ > 0 && samples > 0) {
    result = SampleInfo(0, &sample);
    if (result != CUPTI_SUCCESS) return result;
    const auto begin_ns = static_cast<int64_t>(sample.startTimestamp);
    if (begin_ns > last_end_ns_ - interval_ns_ / 2) next_sample_ = 0;
  }
  const uint32_t idle_before = idle_samples_;
  const size_t first = batch->begin_ns.size();
  const int64_t now_ns = capture::RealtimeNs();
  misdated_ = 0;
  for (size_t i = next_sample_; i < samples; ++i) {
    result = SampleInfo(i, &sample);
    if (result != CUPTI_SUCCESS) return result;
    const auto begin_ns = static_cast<int64_t>(sample.startTimestamp);
    const auto end_ns = static_cast<int64_t>(sample.endTimestamp);
    if (IsMisdated(end_ns, now_ns)) {
      if (end_ns > begin_ns) ++misdated_;
      continue;
    }
    last_end_ns_ = end_ns;
    const bool is_long = end_ns - begin_ns > format::kLongestPmRow * interval_ns_;
    if (std::exchange(first_, false) || is_long) continue;
    if (idleness == Idleness::kThinOut && !activity_.empty() && Idle(evaluator, i) &&
        ++idle_samples_ % kKeptOfIdle != 0) {
      continue;
    }
    std::vector<double> values = evaluator.Evaluate(image_.data(), image_.size(), i, metrics_);
    if (values.empty()) values.assign(metrics_.size(), std::numeric_limits<double>::quiet_NaN());
    batch->begin_ns.push_back(begin_ns);
    batch->end_ns.push_back(end_ns);
    batch->values.insert(batch->values.end(), values.begin(), values.end());
  }
  const size_t taken = samples - std::min(next_sample_, samples);
  if (taken > 0) {
    idle_share_ = static_cast<double>(idle_samples_ - idle_before) / static_cast<double>(taken);
    steady_ = idle_samples_ == idle_before && AreSteady(batch->values, metrics_, first);
  }
  next_sample_ = samples;
  // Initializing the image costs as much as decoding a good part of it, so it is done when needed:
  // where bursts differ in length, after each.
  if (idleness == Idleness::kThinOut && taken > 0) return ResetImage();
  return samples + taken + taken / 2 >= room_ ? ResetImage() : CUPTI_SUCCESS;
}

CUptiResult PmSession::SampleInfo(size_t index,
                                  CUpti_PmSampling_CounterData_GetSampleInfo_Params* sample) {
  *sample = {CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE};
  sample->pPmSamplingObject = object_;
  sample->pCounterDataImage = image_.data();
  sample->counterDataImageSize = image_.size();
  sample->sampleIndex = index;
  return api_->pm_get_sample_info(sample);
}

void PmSession::Close() {
  if (object_ == nullptr) return;
  Stop();
  CUpti_PmSampling_Disable_Params disable = {CUpti_PmSampling_Disable_Params_STRUCT_SIZE};
  disable.pPmSamplingObject = object_;
  api_->pm_disable(&disable);
  object_ = nullptr;
}

}  // namespace prof::cupti
