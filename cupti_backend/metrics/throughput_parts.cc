// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/throughput_parts.h"

#include <dlfcn.h>
#include <nvperf_cuda_host.h>
#include <nvperf_host.h>

namespace prof::cupti {
namespace {

const char* const kLibrary = "libnvperf_host.so";

#define PROF_NVPERF_FUNCTIONS(X)                                         \
  X(initialize_host, NVPW_InitializeHost)                                \
  X(scratch_size, NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize) \
  X(initialize, NVPW_CUDA_MetricsEvaluator_Initialize)                   \
  X(destroy, NVPW_MetricsEvaluator_Destroy)                              \
  X(metric_names, NVPW_MetricsEvaluator_GetMetricNames)                  \
  X(throughput_properties, NVPW_MetricsEvaluator_GetThroughputMetricProperties)

struct NvperfApi {
#define PROF_NVPERF_FIELD(field, symbol) decltype(&::symbol) field = nullptr;
  PROF_NVPERF_FUNCTIONS(PROF_NVPERF_FIELD)
#undef PROF_NVPERF_FIELD
};

bool LoadNvperf(const std::string& cupti_path, NvperfApi* api) {
  // CUPTI has loaded it by the time that it knows a chip.
  void* handle = dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) {
    const std::string folder = cupti_path.substr(0, cupti_path.rfind('/') + 1);
    handle = dlopen((folder + kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) return false;
#define PROF_NVPERF_LOAD(field, symbol)                                        \
  api->field = reinterpret_cast<decltype(api->field)>(dlsym(handle, #symbol)); \
  if (api->field == nullptr) return false;
  PROF_NVPERF_FUNCTIONS(PROF_NVPERF_LOAD)
#undef PROF_NVPERF_LOAD
  NVPW_InitializeHost_Params params = {NVPW_InitializeHost_Params_STRUCT_SIZE};
  return api->initialize_host(&params) == NVPA_STATUS_SUCCESS;
}

std::vector<std::string> NamesOfType(const NvperfApi& api, NVPW_MetricsEvaluator* evaluator,
                                     NVPW_MetricType type) {
  NVPW_MetricsEvaluator_GetMetricNames_Params params = {
      NVPW_MetricsEvaluator_GetMetricNames_Params_STRUCT_SIZE};
  params.pMetricsEvaluator = evaluator;
  params.metricType = static_cast<uint8_t>(type);
  if (api.metric_names(&params) != NVPA_STATUS_SUCCESS) return {};
  std::vector<std::string> names;
  for (size_t i = 0; i < params.numMetrics; ++i) {
    names.emplace_back(params.pMetricNames + params.pMetricNameBeginIndices[i]);
  }
  return names;
}

}  // namespace

std::map<std::string, std::vector<std::string>> ThroughputParts(const std::string& cupti_path,
                                                                const std::string& chip) {
  std::map<std::string, std::vector<std::string>> parts;
  NvperfApi api;
  if (!LoadNvperf(cupti_path, &api)) return parts;
  NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params size = {
      NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params_STRUCT_SIZE};
  size.pChipName = chip.c_str();
  if (api.scratch_size(&size) != NVPA_STATUS_SUCCESS) return parts;
  std::vector<uint8_t> scratch(size.scratchBufferSize);
  NVPW_CUDA_MetricsEvaluator_Initialize_Params initialize = {
      NVPW_CUDA_MetricsEvaluator_Initialize_Params_STRUCT_SIZE};
  initialize.pScratchBuffer = scratch.data();
  initialize.scratchBufferSize = scratch.size();
  initialize.pChipName = chip.c_str();
  if (api.initialize(&initialize) != NVPA_STATUS_SUCCESS) return parts;
  NVPW_MetricsEvaluator* const evaluator = initialize.pMetricsEvaluator;

  const std::vector<std::string> counters = NamesOfType(api, evaluator, NVPW_METRIC_TYPE_COUNTER);
  const std::vector<std::string> throughputs =
      NamesOfType(api, evaluator, NVPW_METRIC_TYPE_THROUGHPUT);
  const auto add = [](const std::vector<std::string>& names, const size_t* indices, size_t count,
                      std::vector<std::string>* to) {
    for (size_t i = 0; i < count; ++i) {
      if (indices[i] < names.size()) to->push_back(names[indices[i]]);
    }
  };
  for (size_t i = 0; i < throughputs.size(); ++i) {
    NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params params = {
        NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params_STRUCT_SIZE};
    params.pMetricsEvaluator = evaluator;
    params.throughputMetricIndex = i;
    if (api.throughput_properties(&params) != NVPA_STATUS_SUCCESS) continue;
    std::vector<std::string>* const of = &parts[throughputs[i]];
    add(counters, params.pCounterIndices, params.numCounters, of);
    add(throughputs, params.pSubThroughputIndices, params.numSubThroughputs, of);
  }
  NVPW_MetricsEvaluator_Destroy_Params destroy = {NVPW_MetricsEvaluator_Destroy_Params_STRUCT_SIZE};
  destroy.pMetricsEvaluator = evaluator;
  api.destroy(&destroy);
  return parts;
}

}  // namespace prof::cupti
