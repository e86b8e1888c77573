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

// X(field, symbol): the functions we use. All have to be there.
#define PROF_CUPTI_FUNCTIONS(X)                                                  \
  X(get_version, cuptiGetVersion)                                                \
  X(get_result_string, cuptiGetResultString)                                     \
  X(get_timestamp, cuptiGetTimestamp)                                            \
  X(subscribe, cuptiSubscribe_v2)                                                \
  X(unsubscribe, cuptiUnsubscribe)                                               \
  X(enable_callback, cuptiEnableCallback)                                        \
  X(get_callback_name, cuptiGetCallbackName)                                     \
  X(activity_register_callbacks, cuptiActivityRegisterCallbacks)                 \
  X(activity_enable, cuptiActivityEnable)                                        \
  X(activity_enable_driver_api, cuptiActivityEnableDriverApi)                    \
  X(activity_disable, cuptiActivityDisable)                                      \
  X(configure_unified_memory, cuptiActivityConfigureUnifiedMemoryCounter)        \
  X(activity_flush_all, cuptiActivityFlushAll)                                   \
  X(activity_get_next_record, cuptiActivityGetNextRecord)                        \
  X(activity_get_num_dropped, cuptiActivityGetNumDroppedRecords)                 \
  X(activity_set_attribute, cuptiActivitySetAttribute)                           \
  X(activity_get_attribute, cuptiActivityGetAttribute)                           \
  X(set_thread_id_type, cuptiSetThreadIdType)                                    \
  X(get_context_id, cuptiGetContextId)                                           \
  X(get_device_id, cuptiGetDeviceId)                                             \
  X(get_stream_id, cuptiGetStreamIdEx)                                           \
  X(get_graph_id, cuptiGetGraphId)                                               \
  X(get_graph_exec_id, cuptiGetGraphExecId)                                      \
  X(get_graph_node_id, cuptiGetGraphNodeId)                                      \
  X(profiler_initialize, cuptiProfilerInitialize)                                \
  X(profiler_deinitialize, cuptiProfilerDeInitialize)                            \
  X(profiler_device_supported, cuptiProfilerDeviceSupported)                     \
  X(profiler_get_counter_availability, cuptiProfilerGetCounterAvailability)      \
  X(device_get_chip_name, cuptiDeviceGetChipName)                                \
  X(host_initialize, cuptiProfilerHostInitialize)                                \
  X(host_deinitialize, cuptiProfilerHostDeinitialize)                            \
  X(host_get_supported_chips, cuptiProfilerHostGetSupportedChips)                \
  X(host_get_base_metrics, cuptiProfilerHostGetBaseMetrics)                      \
  X(host_get_sub_metrics, cuptiProfilerHostGetSubMetrics)                        \
  X(host_get_metric_properties, cuptiProfilerHostGetMetricProperties)            \
  X(host_add_metrics, cuptiProfilerHostConfigAddMetrics)                         \
  X(host_get_config_image_size, cuptiProfilerHostGetConfigImageSize)             \
  X(host_get_config_image, cuptiProfilerHostGetConfigImage)                      \
  X(host_get_num_of_passes, cuptiProfilerHostGetNumOfPasses)                     \
  X(host_get_range_name, cuptiProfilerHostGetRangeName)                          \
  X(host_evaluate, cuptiProfilerHostEvaluateToGpuValues)                         \
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
  X(range_get_counter_data_info, cuptiRangeProfilerGetCounterDataInfo)           \
  X(pm_get_counter_availability, cuptiPmSamplingGetCounterAvailability)          \
  X(pm_enable, cuptiPmSamplingEnable)                                            \
  X(pm_disable, cuptiPmSamplingDisable)                                          \
  X(pm_set_config, cuptiPmSamplingSetConfig)                                     \
  X(pm_start, cuptiPmSamplingStart)                                              \
  X(pm_stop, cuptiPmSamplingStop)                                                \
  X(pm_decode, cuptiPmSamplingDecodeData)                                        \
  X(pm_get_counter_data_size, cuptiPmSamplingGetCounterDataSize)                 \
  X(pm_counter_data_initialize, cuptiPmSamplingCounterDataImageInitialize)       \
  X(pm_get_counter_data_info, cuptiPmSamplingGetCounterDataInfo)                 \
  X(pm_get_sample_info, cuptiPmSamplingCounterDataGetSampleInfo)

struct CuptiApi {
#define PROF_CUPTI_FIELD(field, symbol) decltype(&::symbol) field = nullptr;
  PROF_CUPTI_FUNCTIONS(PROF_CUPTI_FIELD)
#undef PROF_CUPTI_FIELD

  std::string path;      // of the library
  uint32_t version = 0;  // CUPTI_API_VERSION of the loaded one: 130001
};

// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)".
std::string ErrorText(const CuptiApi& api, CUptiResult result);

// Fills `api`, or returns what is missing and how to get it. Loads no CUDA driver.
[[nodiscard]] std::optional<Problem> LoadCupti(CuptiApi* api);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_CUPTI_API_H_
