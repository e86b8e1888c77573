// SPDX-License-Identifier: Apache-2.0
//
// This injection library (CUDA_INJECTION64_PATH) brings PM sampling of GPU 0 into a state, and
// leaves it there. It shows what each state costs a program, without any code of prof.
//
//   PM_STATE     none        nothing of CUPTI is called
//                hooks       CUPTI's profiler is initialized, which sets up hooks in the driver
//                unhooked    and de-initialized
//                in turns    both in turns, all the time: reached once both have worked
//                host        CUPTI's profiler is initialized, and the metrics are planned
//                enabled     also a sampler is enabled
//                configured  also it has the metrics, and its buffer
//                started     also it samples
//                stopped     it has sampled for 10 ms, and is stopped
//                disabled    and it is disabled
//   PM_HOOKS     left      those of "host" and what is behind it stay
//                removed   they are removed when the metrics are planned
//   PM_METRICS   the metrics, with commas between them
//   PM_AFTER_MS  how long after the program's first call to CUDA; 1000 by default
//
// The experiments `stream_hops` and `profiler_hooks` build it (build_injection() in lib/bench.py).
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr uint64_t kIntervalNs = 5000;      // prof's shortest
constexpr size_t kBufferBytes = 16U << 20;  // prof's

std::string Setting(const char* name, const char* fallback) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

bool Works(const char* what, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return true;
  std::fprintf(stderr, "pm_states: %s: error %d\n", what, static_cast<int>(result));
  return false;
}

std::vector<std::string> Metrics() {
  std::vector<std::string> metrics;
  const std::string list = Setting("PM_METRICS", "");
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    metrics.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return metrics;
}

bool SetUpHooks() {
  CUpti_Profiler_Initialize_Params params = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  return Works("initialize", cuptiProfilerInitialize(&params));
}

bool RemoveHooks() {
  CUpti_Profiler_DeInitialize_Params params = {CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
  return Works("de-initialize", cuptiProfilerDeInitialize(&params));
}

void Print(const std::string& state, bool reached) {
  std::fprintf(stderr, "[pm_state] %s %s\n", state.c_str(), reached ? "reached" : "failed");
}

// Held during a turn. The program's exit takes it for ever: no turn meets what CUPTI takes down.
std::mutex turn;

// They stay, and stay away, for 2 ms. While the program is in its cuInit they cannot be set up.
void HookInTurns(const std::string& state) {
  constexpr auto kStay = std::chrono::milliseconds(2);
  CUpti_Profiler_Initialize_Params params = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  std::atexit([] { turn.lock(); });
  for (bool reached = false;; std::this_thread::sleep_for(kStay)) {
    const std::lock_guard<std::mutex> lock(turn);
    if (cuptiProfilerInitialize(&params) != CUPTI_SUCCESS) continue;
    std::this_thread::sleep_for(kStay);
    if (!RemoveHooks()) return Print(state, false);
    if (!reached) Print(state, true);
    reached = true;
  }
}

// The configuration for one pass; empty where there is none.
std::vector<uint8_t> PlanOnePass() {
  if (!SetUpHooks()) return {};
  CUpti_Device_GetChipName_Params chip = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  if (!Works("chip", cuptiDeviceGetChipName(&chip))) return {};
  CUpti_Profiler_Host_Initialize_Params open = {CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  open.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
  open.pChipName = chip.pChipName;
  if (!Works("host", cuptiProfilerHostInitialize(&open))) return {};
  const std::vector<std::string> metrics = Metrics();
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  CUpti_Profiler_Host_ConfigAddMetrics_Params add = {
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
  add.pHostObject = open.pHostObject;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  if (!Works("metrics", cuptiProfilerHostConfigAddMetrics(&add))) return {};
  CUpti_Profiler_Host_GetConfigImageSize_Params size = {
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
  size.pHostObject = open.pHostObject;
  if (!Works("size", cuptiProfilerHostGetConfigImageSize(&size))) return {};
  std::vector<uint8_t> image(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params get = {
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
  get.pHostObject = open.pHostObject;
  get.configImageSize = image.size();
  get.pConfigImage = image.data();
  return Works("image", cuptiProfilerHostGetConfigImage(&get)) ? image : std::vector<uint8_t>{};
}

// True when `state` is reached.
bool Reach(const std::string& state) {
  if (state == "none") return true;
  if (state == "hooks") return SetUpHooks();
  if (state == "unhooked") return SetUpHooks() && RemoveHooks();
  const std::vector<uint8_t> plan = PlanOnePass();
  const bool remove = Setting("PM_HOOKS", "left") == "removed";
  if (plan.empty() || (remove && !RemoveHooks())) return false;
  if (state == "host") return true;
  CUpti_PmSampling_Enable_Params enable = {CUpti_PmSampling_Enable_Params_STRUCT_SIZE};
  if (!Works("enable", cuptiPmSamplingEnable(&enable))) return false;
  if (state == "enabled") return true;
  CUpti_PmSampling_SetConfig_Params config = {CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE};
  config.pPmSamplingObject = enable.pPmSamplingObject;
  config.configSize = plan.size();
  config.pConfig = plan.data();
  config.hardwareBufferSize = kBufferBytes;
  config.samplingInterval = kIntervalNs;
  config.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  if (!Works("configure", cuptiPmSamplingSetConfig(&config))) return false;
  if (state == "configured") return true;
  CUpti_PmSampling_Start_Params start = {CUpti_PmSampling_Start_Params_STRUCT_SIZE};
  start.pPmSamplingObject = enable.pPmSamplingObject;
  if (!Works("start", cuptiPmSamplingStart(&start))) return false;
  if (state == "started") return true;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CUpti_PmSampling_Stop_Params stop = {CUpti_PmSampling_Stop_Params_STRUCT_SIZE};
  stop.pPmSamplingObject = enable.pPmSamplingObject;
  if (!Works("stop", cuptiPmSamplingStop(&stop))) return false;
  if (state == "stopped") return true;
  CUpti_PmSampling_Disable_Params disable = {CUpti_PmSampling_Disable_Params_STRUCT_SIZE};
  disable.pPmSamplingObject = enable.pPmSamplingObject;
  return Works("disable", cuptiPmSamplingDisable(&disable)) && state == "disabled";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  std::thread([] {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::atoi(Setting("PM_AFTER_MS", "1000").c_str())));
    const std::string state = Setting("PM_STATE", "none");
    if (state == "in turns") return HookInTurns(state);
    Print(state, Reach(state));
  }).detach();
  return 1;
}
