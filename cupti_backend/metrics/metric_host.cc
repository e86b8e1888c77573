// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/metric_host.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "cupti_backend/api/cupti_files.h"
#include "cupti_backend/metrics/throughput_parts.h"
#include "lib/capture/process/exit_guard.h"

namespace prof::cupti {
namespace {

CUpti_Profiler_Host_Object* OpenHost(const CuptiApi* api, const std::string& chip,
                                     const std::vector<uint8_t>& availability,
                                     CUpti_ProfilerType type) {
  CUpti_Profiler_Host_Initialize_Params params = {
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  LoadCompanions(api->path);
  params.profilerType = type;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  if (api->host_initialize(&params) != CUPTI_SUCCESS) return nullptr;
  // The first call loads libnvperf_host, which a capture still needs when it stops.
  static std::once_flag guarded;
  std::call_once(guarded, [] { capture::GuardExit(); });
  return params.pHostObject;
}

void CloseHost(const CuptiApi* api, CUpti_Profiler_Host_Object* host) {
  if (host == nullptr) return;
  CUpti_Profiler_Host_Deinitialize_Params params = {
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
  params.pHostObject = host;
  api->host_deinitialize(&params);
}

std::vector<const char*> Pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

}  // namespace

static_assert(static_cast<int>(MetricKind::kCounter) == CUPTI_METRIC_TYPE_COUNTER &&
              static_cast<int>(MetricKind::kRatio) == CUPTI_METRIC_TYPE_RATIO &&
              static_cast<int>(MetricKind::kThroughput) == CUPTI_METRIC_TYPE_THROUGHPUT);

std::vector<std::string> SupportedChips(const CuptiApi& api) {
  CUpti_Profiler_Host_GetSupportedChips_Params params = {
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
  LoadCompanions(api.path);
  if (api.host_get_supported_chips(&params) != CUPTI_SUCCESS) return {};
  std::vector<std::string> chips(params.ppChipNames, params.ppChipNames + params.numChips);
  std::sort(chips.begin(), chips.end());
  chips.erase(std::unique(chips.begin(), chips.end()), chips.end());
  return chips;
}

MetricHost::MetricHost(const CuptiApi* api, std::string chip, std::vector<uint8_t> availability,
                       CUpti_ProfilerType type)
    : api_(api), chip_(std::move(chip)), availability_(std::move(availability)), type_(type) {
  CUpti_Profiler_Host_Object* host = OpenHost(api_, chip_, availability_, type_);
  if (host == nullptr) return;
  for (const CUpti_MetricType kind :
       {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
    CUpti_Profiler_Host_GetBaseMetrics_Params params = {
        CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE};
    params.pHostObject = host;
    params.metricType = kind;
    if (api_->host_get_base_metrics(&params) != CUPTI_SUCCESS) continue;
    for (size_t i = 0; i < params.numMetrics; ++i) {
      metrics_.emplace(params.ppMetricNames[i], static_cast<MetricKind>(kind));
    }
  }
  CloseHost(api_, host);
}

std::string MetricHost::BaseOf(const std::string& metric) const {
  // "FBSP.TriageCompute.x.sum": a base name may itself hold dots, so every prefix is tried.
  for (size_t dot = metric.rfind('.'); dot != std::string::npos && dot > 0;
       dot = metric.rfind('.', dot - 1)) {
    std::string base = metric.substr(0, dot);
    if (metrics_.count(base) != 0) return base;
  }
  return {};
}

std::vector<std::string> MetricHost::Suffixes(const std::string& base) const {
  const auto found = metrics_.find(base);
  if (found == metrics_.end()) return {};
  CUpti_Profiler_Host_Object* host = OpenHost(api_, chip_, availability_, type_);
  if (host == nullptr) return {};
  CUpti_Profiler_Host_GetSubMetrics_Params params = {
      CUpti_Profiler_Host_GetSubMetrics_Params_STRUCT_SIZE};
  params.pHostObject = host;
  params.metricType = static_cast<CUpti_MetricType>(found->second);
  params.pMetricName = base.c_str();
  std::vector<std::string> suffixes;
  if (api_->host_get_sub_metrics(&params) == CUPTI_SUCCESS) {
    suffixes.assign(params.ppSubMetrics, params.ppSubMetrics + params.numOfSubmetrics);
  }
  CloseHost(api_, host);
  return suffixes;
}

std::vector<MetricDescription> MetricHost::Describe(const std::vector<std::string>& bases) const {
  std::vector<MetricDescription> descriptions(bases.size());
  CUpti_Profiler_Host_Object* host = OpenHost(api_, chip_, availability_, type_);
  if (host == nullptr) return descriptions;
  const auto text = [](const char* from) { return std::string(from == nullptr ? "" : from); };
  for (size_t i = 0; i < bases.size(); ++i) {
    CUpti_Profiler_Host_GetMetricProperties_Params params = {
        CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
    params.pHostObject = host;
    params.pMetricName = bases[i].c_str();
    if (metrics_.count(bases[i]) == 0 ||
        api_->host_get_metric_properties(&params) != CUPTI_SUCCESS) {
      continue;
    }
    descriptions[i] = {text(params.pDescription), text(params.pHwUnit), text(params.pDimUnit)};
  }
  CloseHost(api_, host);
  return descriptions;
}

std::vector<std::string> MetricHost::PartsOf(const std::string& throughput) const {
  if (!parts_) parts_ = ThroughputParts(api_->path, chip_);
  const auto found = parts_->find(throughput);
  return found == parts_->end() ? std::vector<std::string>{} : found->second;
}

size_t MetricHost::Passes(const std::vector<std::string>& metrics,
                          std::vector<uint8_t>* image) const {
  if (metrics.empty()) return 0;
  // A host object per question: metrics added in a second call would always get passes of their
  // own, and a failed call spoils the object.
  CUpti_Profiler_Host_Object* host = OpenHost(api_, chip_, availability_, type_);
  if (host == nullptr) return 0;
  std::vector<const char*> names = Pointers(metrics);
  CUpti_Profiler_Host_ConfigAddMetrics_Params add = {
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
  add.pHostObject = host;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  CUpti_Profiler_Host_GetConfigImageSize_Params size = {
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
  size.pHostObject = host;
  size_t passes = 0;
  if (api_->host_add_metrics(&add) == CUPTI_SUCCESS &&
      api_->host_get_config_image_size(&size) == CUPTI_SUCCESS) {
    std::vector<uint8_t> bytes(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params get = {
        CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
    get.pHostObject = host;
    get.configImageSize = bytes.size();
    get.pConfigImage = bytes.data();
    CUpti_Profiler_Host_GetNumOfPasses_Params count = {
        CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
    count.configImageSize = bytes.size();
    count.pConfigImage = bytes.data();
    if (api_->host_get_config_image(&get) == CUPTI_SUCCESS &&
        api_->host_get_num_of_passes(&count) == CUPTI_SUCCESS) {
      passes = count.numOfPasses;
      if (image != nullptr) *image = std::move(bytes);
    }
  }
  CloseHost(api_, host);
  return passes;
}

MetricEvaluator::MetricEvaluator(const CuptiApi* api, const std::string& chip,
                                 const std::vector<uint8_t>& availability, CUpti_ProfilerType type)
    : api_(api), host_(OpenHost(api, chip, availability, type)) {}

MetricEvaluator::~MetricEvaluator() { CloseHost(api_, host_); }

std::vector<double> MetricEvaluator::Evaluate(const uint8_t* image, size_t image_bytes,
                                              size_t index,
                                              const std::vector<std::string>& metrics) const {
  if (host_ == nullptr) return {};
  std::vector<const char*> names = Pointers(metrics);
  std::vector<double> values(metrics.size(), std::numeric_limits<double>::quiet_NaN());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
  params.pHostObject = host_;
  params.pCounterDataImage = image;
  params.counterDataImageSize = image_bytes;
  params.rangeIndex = index;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  if (api_->host_evaluate(&params) != CUPTI_SUCCESS) return {};
  return values;
}

std::string MetricEvaluator::RangeName(const uint8_t* image, size_t image_bytes,
                                       size_t index) const {
  if (host_ == nullptr) return {};
  CUpti_Profiler_Host_GetRangeName_Params params = {
      CUpti_Profiler_Host_GetRangeName_Params_STRUCT_SIZE};
  params.pCounterDataImage = image;
  params.counterDataImageSize = image_bytes;
  params.rangeIndex = index;
  params.delimiter = "/";
  if (api_->host_get_range_name(&params) != CUPTI_SUCCESS || params.pRangeName == nullptr) {
    return {};
  }
  std::string name = params.pRangeName;
  std::free(const_cast<char*>(params.pRangeName));  // CUPTI allocates it for the caller
  return name;
}

}  // namespace prof::cupti
