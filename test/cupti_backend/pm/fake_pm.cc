// SPDX-License-Identifier: Apache-2.0
#include "test/cupti_backend/pm/fake_pm.h"

#include <time.h>

#include <cstring>

#include "lib/capture/process/clock.h"

namespace prof::cupti::test {
namespace {

FakePm* fake = nullptr;
// Objects need an address: one for each device.
std::array<int, FakePm::kDevices> handles{};

// The first byte of a counter data image: a copy of an empty one is empty. The second byte has its
// device.
constexpr uint8_t kBlank = 1, kUsed = 2;

size_t IndexOf(const CUpti_PmSampling_Object* object) {
  return static_cast<size_t>(reinterpret_cast<const int*>(object) - handles.data());
}

// Under the fake's mutex.
FakePm::Device& DeviceOf(const CUpti_PmSampling_Object* object) {
  return fake->devices.at(IndexOf(object));
}

std::vector<const char*> names;

CUptiResult GetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* p) {
  names.clear();
  for (const std::string& metric : fake->metrics) names.push_back(metric.c_str());
  p->ppMetricNames = names.data();
  p->numMetrics = p->metricType == CUPTI_METRIC_TYPE_COUNTER ? names.size() : 0;
  return CUPTI_SUCCESS;
}

CUptiResult SetConfig(CUpti_PmSampling_SetConfig_Params* p) {
  fake->captures.OnCall();
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  if (fake->busy > 0) {
    --fake->busy;
    return CUPTI_ERROR_HARDWARE_BUSY;
  }
  DeviceOf(p->pPmSamplingObject).interval_ns = static_cast<int64_t>(p->samplingInterval);
  fake->intervals.push_back(static_cast<int64_t>(p->samplingInterval));
  return CUPTI_SUCCESS;
}

CUptiResult Start(CUpti_PmSampling_Start_Params* p) {
  fake->captures.OnCall();
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  FakePm::Device& device = DeviceOf(p->pPmSamplingObject);
  if (device.overflowed) return CUPTI_ERROR_UNKNOWN;
  device.started = true;
  device.decoded_until_ns = capture::RealtimeNs();
  return CUPTI_SUCCESS;
}

CUptiResult Disable(CUpti_PmSampling_Disable_Params* p) {
  fake->captures.OnCall();
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  ++fake->closed;
  FakePm::Device& device = DeviceOf(p->pPmSamplingObject);
  device.started = device.overflowed = false;
  return CUPTI_SUCCESS;
}

int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

CUptiResult Decode(CUpti_PmSampling_DecodeData_Params* p) {
  fake->captures.OnCall();
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  const size_t index = IndexOf(p->pPmSamplingObject);
  if (fake->breaks || fake->breaks_on == static_cast<int>(index)) return CUPTI_ERROR_UNKNOWN;
  FakePm::Device& device = fake->devices.at(index);
  if (fake->overflows.exchange(false)) device.overflowed = true;
  p->overflow = device.overflowed ? 1 : 0;
  if (device.overflowed) return CUPTI_ERROR_OUT_OF_MEMORY;
  if (!fake->appends || p->pCounterDataImage[0] == kBlank) device.image.samples.clear();
  p->pCounterDataImage[0] = kUsed;
  const int64_t now_ns = device.started ? capture::RealtimeNs() : device.stopped_ns;
  p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  while (device.decoded_until_ns + device.interval_ns <= now_ns) {
    const int64_t begin_ns = device.decoded_until_ns;
    device.decoded_until_ns += device.interval_ns;
    for (const int64_t done = ThreadCpuNs() + fake->decode_ns; ThreadCpuNs() < done;) continue;
    if (device.image.samples.size() < device.image.room) {
      device.image.samples.emplace_back(begin_ns, device.decoded_until_ns);
    } else {  // dropped without a word, as CUPTI 13.0 does
      p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    }
  }
  return CUPTI_SUCCESS;
}

CUptiResult SampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
  const std::lock_guard<std::mutex> lock(fake->mutex_);
  const FakePm::Image& image = DeviceOf(p->pPmSamplingObject).image;
  if (p->sampleIndex >= image.samples.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  const auto [begin_ns, end_ns] = image.samples[p->sampleIndex];
  const int64_t late_ns = fake->opened <= fake->late_sessions ? fake->late_ns.load() : 0;
  const int64_t covers_ns = p->sampleIndex % 10 == 9 ? fake->covers_ns.load() : 0;
  p->startTimestamp = static_cast<uint64_t>(begin_ns + late_ns - covers_ns);
  p->endTimestamp = static_cast<uint64_t>(end_ns + late_ns);
  if (fake->stale_ns != 0 && p->sampleIndex % 10 == 0) {
    p->startTimestamp = p->endTimestamp = static_cast<uint64_t>(begin_ns - fake->stale_ns);
  }
  return CUPTI_SUCCESS;
}

void FillHost(CuptiApi* api) {
  api->host_initialize = [](CUpti_Profiler_Host_Initialize_Params* p) {
    p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(handles.data());
    return CUPTI_SUCCESS;
  };
  api->host_deinitialize = [](CUpti_Profiler_Host_Deinitialize_Params*) { return CUPTI_SUCCESS; };
  api->host_get_base_metrics = &GetBaseMetrics;
  api->host_add_metrics = [](CUpti_Profiler_Host_ConfigAddMetrics_Params*) {
    return CUPTI_SUCCESS;
  };
  api->host_get_config_image_size = [](CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
    p->configImageSize = 8;
    return CUPTI_SUCCESS;
  };
  api->host_get_config_image = [](CUpti_Profiler_Host_GetConfigImage_Params*) {
    return CUPTI_SUCCESS;
  };
  api->host_get_num_of_passes = [](CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
    p->numOfPasses = 1;
    return CUPTI_SUCCESS;
  };
  api->host_evaluate = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    for (size_t i = 0; i < p->numMetrics; ++i) p->pMetricValues[i] = 10.0 * static_cast<double>(i);
    return CUPTI_SUCCESS;
  };
}

void FillDevice(CuptiApi* api) {
  api->get_result_string = [](CUptiResult, const char** text) {
    *text = "CUPTI's text";
    return CUPTI_SUCCESS;
  };
  api->profiler_initialize = [](CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; };
  api->profiler_device_supported = [](CUpti_Profiler_DeviceSupported_Params* p) {
    p->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    return CUPTI_SUCCESS;
  };
  api->device_get_chip_name = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = "FK100";
    return CUPTI_SUCCESS;
  };
  api->pm_get_counter_availability = [](CUpti_PmSampling_GetCounterAvailability_Params* p) {
    p->counterAvailabilityImageSize = 8;
    return CUPTI_SUCCESS;
  };
}

}  // namespace

FakePm::FakePm() {
  fake = this;
  FillHost(&api);
  FillDevice(&api);
  CaptureModes::AddTo(&driver);
  api.pm_enable = [](CUpti_PmSampling_Enable_Params* p) {
    fake->captures.OnCall();
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    ++fake->opened;
    p->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(&handles.at(p->deviceIndex));
    return CUPTI_SUCCESS;
  };
  api.pm_disable = &Disable;
  api.pm_get_counter_data_size = [](CUpti_PmSampling_GetCounterDataSize_Params* p) {
    p->counterDataSize = p->maxSamples;
    return CUPTI_SUCCESS;
  };
  api.pm_counter_data_initialize = [](CUpti_PmSampling_CounterDataImage_Initialize_Params* p) {
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    FakePm::Image& image = DeviceOf(p->pPmSamplingObject).image;
    image.room = p->counterDataSize;
    image.samples.clear();
    p->pCounterData[0] = kBlank;
    p->pCounterData[1] = static_cast<uint8_t>(IndexOf(p->pPmSamplingObject));
    return CUPTI_SUCCESS;
  };
  api.pm_set_config = &SetConfig;
  api.pm_start = &Start;
  api.pm_stop = [](CUpti_PmSampling_Stop_Params* p) {
    fake->captures.OnCall();
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    FakePm::Device& device = DeviceOf(p->pPmSamplingObject);
    device.started = false;
    device.stopped_ns = capture::RealtimeNs();
    ++fake->bursts;
    return CUPTI_SUCCESS;
  };
  api.pm_decode = &Decode;
  api.pm_get_counter_data_info = [](CUpti_PmSampling_GetCounterDataInfo_Params* p) {
    const std::lock_guard<std::mutex> lock(fake->mutex_);
    p->numCompletedSamples = fake->devices.at(p->pCounterDataImage[1]).image.samples.size();
    return CUPTI_SUCCESS;
  };
  api.pm_get_sample_info = &SampleInfo;
}

FakePm::~FakePm() { fake = nullptr; }

}  // namespace prof::cupti::test
