// SPDX-License-Identifier: Apache-2.0
//
// The GPU state class turns on CUPTI's readings of clocks, temperature and power, and this file
// decodes them. A thread of CUPTI reads them of NVML, every 50 ms by NVIDIA's word; the period
// cannot be chosen. Where CUPTI refuses, prof reads NVML itself.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_GPU_STATE_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_GPU_STATE_H_

#include <optional>
#include <vector>

#include "cupti_backend/activity/nvml_reader.h"
#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/api/nvml_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// The thread that starts the recording, then the collector thread.
class GpuState {
 public:
  using Load = std::optional<Problem> (*)(NvmlApi* api);

  // The tables outlive this.
  GpuState(const CuptiApi* api, const DriverApi* driver, Load load_nvml = LoadNvml)
      : api_(api), driver_(driver), load_nvml_(load_nvml) {}

  // Before CUPTI's profiler is prepared: a kind that is enabled later gives no records. Adds a
  // notice where neither CUPTI nor NVML has readings.
  void Start(std::vector<capture::NoticeEvent>* notices);
  // After a pause, or after another profiler has switched the records off.
  void EnableAgain();
  // Until EnableAgain.
  void Pause();
  // Appends what prof itself reads of NVML, where it has to, once CUDA is initialized.
  void Gather(std::vector<capture::GpuStateEvent>* readings,
              std::vector<capture::NoticeEvent>* notices);
  void Stop();

 private:
  const CuptiApi* const api_;
  const DriverApi* const driver_;
  const Load load_nvml_;
  bool on_ = false;  // CUPTI's
  NvmlApi nvml_;
  std::optional<NvmlReader> reader_;  // CUPTI has refused
};

// kUnknown: the speed of a fan, or what this version does not know. Nobody needs it.
capture::GpuStateEvent GpuStateOf(const CUpti_ActivityEnvironment& record);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_GPU_STATE_H_
