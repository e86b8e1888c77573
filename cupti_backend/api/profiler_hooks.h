// SPDX-License-Identifier: Apache-2.0
//
// The profiler hooks are what cuptiProfilerInitialize sets up in the driver. On one H200 they cost
// the program time for as long as they were there, whatever was done with them: a cudaMemcpyAsync
// beside launches of another thread took 15 us instead of 5, and a pipeline of two threads 14 %
// longer; on others nothing (docs/measurements/coverage.md). Plans need them, and counters of
// launches. PM sampling does not, once they were there: without that it sets them up itself, and
// they stay.
#ifndef PROF_CUPTI_BACKEND_API_PROFILER_HOOKS_H_
#define PROF_CUPTI_BACKEND_API_PROFILER_HOOKS_H_

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

// Somebody who needs them. `api` outlives it. Used by one thread.
class ProfilerHooks {
 public:
  ProfilerHooks() = default;
  // They are removed, unless somebody else needs them, or the program is at its exit.
  ~ProfilerHooks();
  ProfilerHooks(const ProfilerHooks&) = delete;
  ProfilerHooks& operator=(const ProfilerHooks&) = delete;

  // Sets them up where nobody has them. Once. Threads of prof wait here for each other, and for
  // CUPTI.
  CUptiResult Take(const CuptiApi& api);
  // They stay for as long as the process runs.
  void Keep() { api_ = nullptr; }

 private:
  const CuptiApi* api_ = nullptr;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_PROFILER_HOOKS_H_
