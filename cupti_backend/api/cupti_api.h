// SPDX-License-Identifier: Apache-2.0
//
// The CUPTI API is a table of functions. It is filled from the library that the process already
// has, or else from the toolkit's. Nothing here is linked; tests fill the table with their own
// functions.
#ifndef PROF_CUPTI_BACKEND_API_CUPTI_API_H_
#define PROF_CUPTI_BACKEND_API_CUPTI_API_H_

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cupti_backend/api/problem.h"

namespace prof::cupti {

// X(field, symbol): the functions we use, by the feature that needs them. `since` of each feature
// is in cupti_versions.cc; test/cupti_backend/api/check_versions.py holds both against the
// libraries.

// CUPTI 12.0. All have to be there.
#define PROF_CUPTI_TIMELINE(X)                                            \
  X(get_version, cuptiGetVersion)                                         \
  X(get_result_string, cuptiGetResultString)                              \
  X(get_timestamp, cuptiGetTimestamp)                                     \
  X(subscribe, cuptiSubscribe)                                            \
  X(unsubscribe, cuptiUnsubscribe)                                        \
  X(finalize, cuptiFinalize)                                              \
  X(enable_callback, cuptiEnableCallback)                                 \
  X(get_callback_name, cuptiGetCallbackName)                              \
  X(activity_register_callbacks, cuptiActivityRegisterCallbacks)          \
  X(activity_enable, cuptiActivityEnable)                                 \
  X(activity_disable, cuptiActivityDisable)                               \
  X(configure_unified_memory, cuptiActivityConfigureUnifiedMemoryCounter) \
  X(activity_flush_all, cuptiActivityFlushAll)                            \
  X(activity_get_next_record, cuptiActivityGetNextRecord)                 \
  X(activity_get_num_dropped, cuptiActivityGetNumDroppedRecords)          \
  X(activity_set_attribute, cuptiActivitySetAttribute)                    \
  X(activity_get_attribute, cuptiActivityGetAttribute)                    \
  X(set_thread_id_type, cuptiSetThreadIdType)                             \
  X(get_thread_id_type, cuptiGetThreadIdType)                             \
  X(get_context_id, cuptiGetContextId)                                    \
  X(get_device_id, cuptiGetDeviceId)                                      \
  X(get_stream_id, cuptiGetStreamIdEx)                                    \
  X(get_graph_id, cuptiGetGraphId)                                        \
  X(get_graph_node_id, cuptiGetGraphNodeId)                               \
  X(device_get_chip_name, cuptiDeviceGetChipName)                         \
  X(profiler_initialize, cuptiProfilerInitialize)                         \
  X(profiler_deinitialize, cuptiProfilerDeInitialize)                     \
  X(profiler_device_supported, cuptiProfilerDeviceSupported)              \
  X(profiler_get_counter_availability, cuptiProfilerGetCounterAvailability)

#define PROF_CUPTI_GRAPH_EXEC_IDS(X) X(get_graph_exec_id, cuptiGetGraphExecId)

#define PROF_CUPTI_CALL_SELECTION(X) X(activity_enable_driver_api, cuptiActivityEnableDriverApi)

#define PROF_CUPTI_METRICS(X)                                         \
  X(host_initialize, cuptiProfilerHostInitialize)                     \
  X(host_deinitialize, cuptiProfilerHostDeinitialize)                 \
  X(host_get_supported_chips, cuptiProfilerHostGetSupportedChips)     \
  X(host_get_base_metrics, cuptiProfilerHostGetBaseMetrics)           \
  X(host_get_sub_metrics, cuptiProfilerHostGetSubMetrics)             \
  X(host_get_metric_properties, cuptiProfilerHostGetMetricProperties) \
  X(host_add_metrics, cuptiProfilerHostConfigAddMetrics)              \
  X(host_get_config_image_size, cuptiProfilerHostGetConfigImageSize)  \
  X(host_get_config_image, cuptiProfilerHostGetConfigImage)           \
  X(host_get_num_of_passes, cuptiProfilerHostGetNumOfPasses)          \
  X(host_get_range_name, cuptiProfilerHostGetRangeName)               \
  X(host_evaluate, cuptiProfilerHostEvaluateToGpuValues)

#define PROF_CUPTI_PM_SAMPLING(X)                                          \
  X(pm_get_counter_availability, cuptiPmSamplingGetCounterAvailability)    \
  X(pm_enable, cuptiPmSamplingEnable)                                      \
  X(pm_disable, cuptiPmSamplingDisable)                                    \
  X(pm_set_config, cuptiPmSamplingSetConfig)                               \
  X(pm_start, cuptiPmSamplingStart)                                        \
  X(pm_stop, cuptiPmSamplingStop)                                          \
  X(pm_decode, cuptiPmSamplingDecodeData)                                  \
  X(pm_get_counter_data_size, cuptiPmSamplingGetCounterDataSize)           \
  X(pm_counter_data_initialize, cuptiPmSamplingCounterDataImageInitialize) \
  X(pm_get_counter_data_info, cuptiPmSamplingGetCounterDataInfo)           \
  X(pm_get_sample_info, cuptiPmSamplingCounterDataGetSampleInfo)

#define PROF_CUPTI_RANGES(X)                                                     \
  X(range_enable, cuptiRangeProfilerEnable)                                      \
  X(range_disable, cuptiRangeProfilerDisable)                                    \
  X(range_set_config, cuptiRangeProfilerSetConfig)                               \
  X(range_start, cuptiRangeProfilerStart)                                        \
  X(range_stop, cuptiRangeProfilerStop)                                          \
  X(range_push, cuptiRangeProfilerPushRange)                                     \
  X(range_pop, cuptiRangeProfilerPopRange)                                       \
  X(range_decode, cuptiRangeProfilerDecodeData)                                  \
  X(range_get_counter_data_size, cuptiRangeProfilerGetCounterDataSize)           \
  X(range_counter_data_initialize, cuptiRangeProfilerCounterDataImageInitialize) \
  X(range_get_counter_data_info, cuptiRangeProfilerGetCounterDataInfo)

#define PROF_CUPTI_SUBSCRIBER_NAMES(X) X(subscribe_by_name, cuptiSubscribe_v2)

// What a CUPTI may lack, oldest first.
enum class Feature : uint8_t {
  kGraphExecIds,
  kCallSelection,
  kMetrics,
  kPmSampling,
  kRanges,
  kSubscriberNames,
};

struct CuptiApi {
#define PROF_CUPTI_FIELD(field, symbol) decltype(&::symbol) field = nullptr;
  PROF_CUPTI_TIMELINE(PROF_CUPTI_FIELD)
  // Those of a missing feature do nothing, and return CUPTI_ERROR_NOT_SUPPORTED.
  PROF_CUPTI_GRAPH_EXEC_IDS(PROF_CUPTI_FIELD)
  PROF_CUPTI_CALL_SELECTION(PROF_CUPTI_FIELD)
  PROF_CUPTI_METRICS(PROF_CUPTI_FIELD)
  PROF_CUPTI_PM_SAMPLING(PROF_CUPTI_FIELD)
  PROF_CUPTI_RANGES(PROF_CUPTI_FIELD)
  PROF_CUPTI_SUBSCRIBER_NAMES(PROF_CUPTI_FIELD)
#undef PROF_CUPTI_FIELD

  [[nodiscard]] bool Has(Feature feature) const {
    return (missing >> static_cast<uint32_t>(feature) & 1) == 0;
  }

  std::string path;      // of the library
  std::string also;      // other copies that the process has mapped; empty: none
  uint32_t version = 0;  // CUPTI_API_VERSION of the loaded one: 18 (12.0) to 28 (12.9), 130001
  uint32_t missing = 0;  // a bit for each Feature
};

// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)".
std::string ErrorText(const CuptiApi& api, CUptiResult result);

// Fills `api`, or returns what is missing and how to get it. It takes the copy that the process has
// mapped, and the best one where it has several; else one that fits the driver, whose version is
// `cuda_driver` (13000; 0: unknown). CUPTI 13.2 and newer are taken only where libcuda.so.1 loads.
[[nodiscard]] std::optional<Problem> LoadCupti(CuptiApi* api, int cuda_driver = 0);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_CUPTI_API_H_
