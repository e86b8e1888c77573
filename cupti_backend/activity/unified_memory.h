// SPDX-License-Identifier: Apache-2.0
//
// The unified memory class turns on CUPTI's counters of unified memory: migrations and page faults.
// They cost the program time with each fault, so they are on only when the user wants them. CUPTI
// gives no records of kinds that are enabled after its profiler was prepared, and the first launch
// prepares it. So a program that launches right after cuInit, before the collector's next round,
// gets none.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_UNIFIED_MEMORY_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_UNIFIED_MEMORY_H_

#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// The thread that starts the recording, then the collector thread.
class UnifiedMemory {
 public:
  UnifiedMemory(const CuptiApi* api, const DriverApi* driver) : api_(api), driver_(driver) {}

  // Counting begins at the first call after the program has initialized the driver; until then each
  // call asks the driver. Adds a notice for what CUPTI refuses, once.
  void Start(std::vector<capture::NoticeEvent>* notices);
  // After another profiler has switched the records off.
  void EnableAgain();
  // Until EnableAgain.
  void Pause();
  void Stop();

 private:
  // Returns the first failure. Kinds that CUPTI refuses are left out and named in `notices`.
  CUptiResult Configure(int devices, std::vector<capture::NoticeEvent>* notices, bool* any);

  const CuptiApi* const api_;
  const DriverApi* const driver_;
  bool decided_ = false;  // on, or refused for good
  bool on_ = false;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_UNIFIED_MEMORY_H_
