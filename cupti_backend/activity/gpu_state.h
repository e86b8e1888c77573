// SPDX-License-Identifier: Apache-2.0
//
// The GPU state class turns on CUPTI's readings of clocks, temperature and power, and this file
// decodes them. A thread of CUPTI reads them of NVML, every 50 ms by NVIDIA's word; the period
// cannot be chosen.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_GPU_STATE_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_GPU_STATE_H_

#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// The thread that starts the recording, then the collector thread.
class GpuState {
 public:
  explicit GpuState(const CuptiApi* api) : api_(api) {}

  // Before CUPTI's profiler is prepared: a kind that is enabled later gives no records. Adds a
  // notice where CUPTI refuses.
  void Start(std::vector<capture::NoticeEvent>* notices);
  // After a pause, or after another profiler has switched the records off.
  void EnableAgain();
  // Until EnableAgain.
  void Pause();
  void Stop();

 private:
  const CuptiApi* const api_;
  bool on_ = false;
};

// kUnknown: the speed of a fan, or what this version does not know. Nobody needs it.
capture::GpuStateEvent GpuStateOf(const CUpti_ActivityEnvironment& record);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_GPU_STATE_H_
