// SPDX-License-Identifier: Apache-2.0
#include "test/cupti_backend/fake_cupti.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace prof::cupti::test {
namespace {

FakeCupti* fake = nullptr;

// The host object: the metrics that were added.
struct Host {
  std::vector<std::string> metrics;
};
Host* HostOf(CUpti_Profiler_Host_Object* object) { return reinterpret_cast<Host*>(object); }

const char* base_metrics[] = {"gpu__time_duration", "m0", "m1", "m2"};

// The config image of a group is the name of its last metric.
std::string ImageOf(const Host& host) { return host.metrics.back(); }

CUptiResult HostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new Host());
  return fake->ResultOf("host_initialize");
}
CUptiResult HostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  delete HostOf(p->pHostObject);
  return CUPTI_SUCCESS;
}
CUptiResult HostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* p) {
  p->ppMetricNames = base_metrics;
  p->numMetrics = p->metricType == CUPTI_METRIC_TYPE_COUNTER ? std::size(base_metrics) : 0;
  return CUPTI_SUCCESS;
}
CUptiResult HostAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  Host* host = HostOf(p->pHostObject);
  for (size_t i = 0; i < p->numMetrics; ++i) host->metrics.emplace_back(p->ppMetricNames[i]);
  return CUPTI_SUCCESS;
}
// Longer images for later metrics: "m2" has the longest.
size_t Padded(const std::string& image) {
  return 16 * (1 + static_cast<size_t>(image.size() > 1 ? image[1] - '0' : 0) % 8);
}
CUptiResult HostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  p->configImageSize = Padded(ImageOf(*HostOf(p->pHostObject)));
  return CUPTI_SUCCESS;
}
CUptiResult HostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  const Host& host = *HostOf(p->pHostObject);
  const std::string image = ImageOf(host);
  std::memset(p->pConfigImage, 0, p->configImageSize);
  std::memcpy(p->pConfigImage, image.data(), std::min(image.size(), p->configImageSize - 2));
  p->pConfigImage[p->configImageSize - 1] = static_cast<uint8_t>(host.metrics.size());
  return CUPTI_SUCCESS;
}
CUptiResult HostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  const size_t metrics = p->pConfigImage[p->configImageSize - 1];
  p->numOfPasses = metrics <= 2 ? 1 : metrics - 1;  // the window is free
  return CUPTI_SUCCESS;
}
FakeCupti::Profiler* ProfilerOf(CUpti_RangeProfiler_Object* object) {
  return reinterpret_cast<FakeCupti::Profiler*>(object);
}

// Under mutex_: whose image that is.
const FakeCupti::Profiler& OwnerOf(const void* image) {
  static const FakeCupti::Profiler nobody;
  for (const FakeCupti::Profiler& profiler : fake->profilers) {
    if (profiler.counter_data == image) return profiler;
  }
  return nobody;
}

CUptiResult HostGetRangeName(CUpti_Profiler_Host_GetRangeName_Params* p) {
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  const std::vector<std::string>& ranges = OwnerOf(p->pCounterDataImage).decoded;
  if (p->rangeIndex >= ranges.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  p->pRangeName = strdup(ranges[p->rangeIndex].c_str());
  return CUPTI_SUCCESS;
}
CUptiResult HostEvaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  const FakeCupti::Profiler& profiler = OwnerOf(p->pCounterDataImage);
  if (p->rangeIndex >= profiler.decoded.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  for (size_t i = 0; i < p->numMetrics; ++i) {
    const auto& counted = profiler.initialized;
    const bool is_counted =
        std::find(counted.begin(), counted.end(), p->ppMetricNames[i]) != counted.end();
    p->pMetricValues[i] = is_counted ? ValueOf(profiler.decoded[p->rangeIndex], i) : NAN;
  }
  return CUPTI_SUCCESS;
}

CUptiResult RangeEnable(CUpti_RangeProfiler_Enable_Params* p) {
  fake->Log("enable");
  {
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    auto* profiler = &fake->profilers.emplace_back();
    p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(profiler);
  }
  return fake->ResultOf("range_enable");
}
CUptiResult RangeDisable(CUpti_RangeProfiler_Disable_Params* p) {
  fake->Log("disable");
  {
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    ProfilerOf(p->pRangeProfilerObject)->counter_data = nullptr;  // its memory may go to another
  }
  return fake->ResultOf("range_disable");
}
CUptiResult RangeSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  fake->Log("config");
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  fake->configured.push_back({p->pConfig, p->pCounterDataImage,
                              std::vector<uint8_t>(p->pConfig, p->pConfig + p->configSize)});
  FakeCupti::Profiler& profiler = *ProfilerOf(p->pRangeProfilerObject);
  profiler.counter_data = p->pCounterDataImage;
  profiler.replays = p->range == CUPTI_AutoRange && p->replayMode == CUPTI_KernelReplay;
  fake->config_threads.push_back(std::this_thread::get_id());
  return CUPTI_SUCCESS;
}
CUptiResult RangeStart(CUpti_RangeProfiler_Start_Params* p) {
  const CUptiResult result = fake->ResultOf("range_start");
  if (result != CUPTI_SUCCESS) return result;
  fake->Log("start");
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  ProfilerOf(p->pRangeProfilerObject)->open.clear();
  return CUPTI_SUCCESS;
}
CUptiResult RangeStop(CUpti_RangeProfiler_Stop_Params* p) {
  const std::string last = fake->log().back();
  fake->Log("stop");
  {
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    FakeCupti::Profiler& profiler = *ProfilerOf(p->pRangeProfilerObject);
    if (profiler.replays && last.rfind("launch ", 0) == 0) {
      profiler.open.push_back(std::to_string(profiler.replayed++));
    }
  }
  return fake->ResultOf("range_stop");
}
CUptiResult RangePush(CUpti_RangeProfiler_PushRange_Params* p) {
  const CUptiResult result = fake->ResultOf("range_push");
  if (result != CUPTI_SUCCESS) return result;
  fake->Log(std::string("push ") + p->pRangeName);
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  ProfilerOf(p->pRangeProfilerObject)->open.emplace_back(p->pRangeName);
  return CUPTI_SUCCESS;
}
CUptiResult RangePop(CUpti_RangeProfiler_PopRange_Params*) {
  fake->Log("pop");
  return fake->ResultOf("range_pop");
}
CUptiResult RangeDecode(CUpti_RangeProfiler_DecodeData_Params* p) {
  fake->Log("decode");
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  FakeCupti::Profiler& profiler = *ProfilerOf(p->pRangeProfilerObject);
  profiler.decoded.assign(profiler.open.rbegin(), profiler.open.rend());
  if (fake->loses_a_range && !profiler.decoded.empty()) profiler.decoded.pop_back();
  return CUPTI_SUCCESS;
}
CUptiResult RangeCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  // As with the config image, groups differ.
  p->counterDataSize = 100 * Padded(p->pMetricNames[p->numMetrics - 1]);
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  ProfilerOf(p->pRangeProfilerObject)
      ->asked.assign(p->pMetricNames, p->pMetricNames + p->numMetrics);
  return CUPTI_SUCCESS;
}
CUptiResult RangeCounterDataInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params* p) {
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  FakeCupti::Profiler& profiler = *ProfilerOf(p->pRangeProfilerObject);
  profiler.initialized = profiler.asked;
  return CUPTI_SUCCESS;
}
CUptiResult RangeCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  p->numTotalRanges = OwnerOf(p->pCounterDataImage).decoded.size();
  return CUPTI_SUCCESS;
}

}  // namespace

FakeCupti::FakeCupti() {
  fake = this;
  api.get_result_string = [](CUptiResult, const char** text) {
    *text = "CUPTI_ERROR";
    return CUPTI_SUCCESS;
  };
  api.get_callback_name = [](CUpti_CallbackDomain domain, CUpti_CallbackId id, const char** name) {
    const bool launch = domain == CUPTI_CB_DOMAIN_DRIVER_API && id < 600;
    *name = launch ? "cuLaunchKernel" : nullptr;
    return launch ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
  };
  api.get_stream_id = [](CUcontext, CUstream, uint8_t, uint32_t* id) {
    *id = 7;
    return CUPTI_SUCCESS;
  };
  api.get_context_id = [](CUcontext context, uint32_t* id) {
    *id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context) / 64);
    return CUPTI_SUCCESS;
  };
  api.activity_enable = [](CUpti_ActivityKind) {
    fake->Log("activity on");
    return fake->ResultOf("activity_enable");
  };
  api.activity_disable = [](CUpti_ActivityKind) {
    fake->Log("activity off");
    return fake->ResultOf("activity_disable");
  };
  api.host_get_sub_metrics = [](CUpti_Profiler_Host_GetSubMetrics_Params*) {
    return CUPTI_ERROR_NOT_SUPPORTED;
  };
  api.host_get_metric_properties = [](CUpti_Profiler_Host_GetMetricProperties_Params*) {
    return CUPTI_ERROR_NOT_SUPPORTED;
  };
  api.profiler_initialize = [](CUpti_Profiler_Initialize_Params*) {
    return fake->ResultOf("profiler_initialize");
  };
  api.profiler_device_supported = [](CUpti_Profiler_DeviceSupported_Params* p) {
    p->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    return CUPTI_SUCCESS;
  };
  api.profiler_get_counter_availability = [](CUpti_Profiler_GetCounterAvailability_Params* p) {
    p->counterAvailabilityImageSize = 4;
    return fake->ResultOf("profiler_get_counter_availability");
  };
  api.device_get_chip_name = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = "FK100";
    return fake->ResultOf("device_get_chip_name");
  };
  api.host_initialize = &HostInitialize;
  api.host_deinitialize = &HostDeinitialize;
  api.host_get_base_metrics = &HostGetBaseMetrics;
  api.host_add_metrics = &HostAddMetrics;
  api.host_get_config_image_size = &HostGetConfigImageSize;
  api.host_get_config_image = &HostGetConfigImage;
  api.host_get_num_of_passes = &HostGetNumOfPasses;
  api.host_get_range_name = &HostGetRangeName;
  api.host_evaluate = &HostEvaluate;
  api.range_enable = &RangeEnable;
  api.range_disable = &RangeDisable;
  api.range_set_config = &RangeSetConfig;
  api.range_start = &RangeStart;
  api.range_stop = &RangeStop;
  api.range_push = &RangePush;
  api.range_pop = &RangePop;
  api.range_decode = &RangeDecode;
  api.range_get_counter_data_size = &RangeCounterDataSize;
  api.range_counter_data_initialize = &RangeCounterDataInitialize;
  api.range_get_counter_data_info = &RangeCounterDataInfo;

  driver.device_get_count = [](int* count) {
    *count = 1;
    return CUDA_SUCCESS;
  };
  driver.ctx_set_current = [](CUcontext) {
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    return fake->context_is_dead ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
  };
  driver.ctx_get_device = [](CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  driver.ctx_get_current = [](CUcontext* context) {
    *context = Context(1);
    return CUDA_SUCCESS;
  };
  driver.stream_query = [](CUstream) { return CUDA_SUCCESS; };
  driver.func_get_attribute = [](int*, CUfunction_attribute, CUfunction) {
    return CUDA_ERROR_INVALID_HANDLE;
  };
  driver.kernel_get_attribute = [](int* value, CUfunction_attribute, CUkernel, CUdevice) {
    *value = 24;
    return CUDA_SUCCESS;
  };
  driver.ctx_synchronize = [] { return CUDA_SUCCESS; };
  driver.stream_is_capturing = [](CUstream, CUstreamCaptureStatus* status) {
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    *status = fake->capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
}

FakeCupti::~FakeCupti() { fake = nullptr; }

void FakeCupti::Fail(const std::string& function, CUptiResult result) {
  const std::lock_guard<std::mutex> lock(mutex_);
  results_[function] = result;
}

CUptiResult FakeCupti::ResultOf(const std::string& function) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = results_.find(function);
  return found == results_.end() ? CUPTI_SUCCESS : found->second;
}

void FakeCupti::Log(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  log_.push_back(what);
}

std::vector<std::string> FakeCupti::log() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return log_;
}

void FakeCupti::SetCapturing(bool value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  capturing = value;
}

double ValueOf(const std::string& name, size_t index) {
  return 1000.0 * static_cast<double>(std::strtoul(name.c_str(), nullptr, 10) + 1) +
         static_cast<double>(index);
}

CUcontext Context(uintptr_t number) { return reinterpret_cast<CUcontext>(number * 64); }

}  // namespace prof::cupti::test
