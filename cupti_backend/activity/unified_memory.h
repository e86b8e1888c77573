// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's counters of unified memory: what the driver migrates, which pages fault. They cost the
// program something with each fault, so they are on only where they were asked for. CUPTI gives no
// records of kinds that are enabled after its profiler was prepared, which the first launch does: a
// program that launches sooner after cuInit than the collector comes round gets none.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_UNIFIED_MEMORY_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_UNIFIED_MEMORY_H_

#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// Used by the thread that starts the recording, then by the collector.
class UnifiedMemory {
 public:
  UnifiedMemory(const CuptiApi* api, const DriverApi* driver) : api_(api), driver_(driver) {}

  // Counting begins at the first call that finds the driver initialized by the program; until then
  // each call is a question to the driver. What CUPTI refuses is told in `notices`, once.
  void Start(std::vector<capture::NoticeEvent>* notices);
  // Once more, when another profiler has switched the records off.
  void EnableAgain();
  void Stop();

 private:
  // The first failure; kinds that CUPTI refuses are left out and named in `notices`.
  CUptiResult Configure(int devices, std::vector<capture::NoticeEvent>* notices, bool* any);

  const CuptiApi* const api_;
  const DriverApi* const driver_;
  bool decided_ = false;  // on, or refused for good
  bool on_ = false;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_UNIFIED_MEMORY_H_
