// SPDX-License-Identifier: Apache-2.0
//
// The profiler hooks are what cuptiProfilerInitialize sets up in the driver. They cost the program
// time for as long as they are there, whatever is done with them: a cudaMemcpyAsync beside launches
// of another thread takes 22 us instead of 5, and a pipeline of two threads 14 % longer (H200,
// CUPTI 13.0). So they are there while somebody needs them. PM sampling does not, once they were
// there.
#ifndef PROF_CUPTI_BACKEND_API_PROFILER_HOOKS_H_
#define PROF_CUPTI_BACKEND_API_PROFILER_HOOKS_H_

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

// Somebody who needs them. Used by one thread at a time.
class ProfilerHooks {
 public:
  ProfilerHooks() = default;
  ~ProfilerHooks() { Give(); }
  ProfilerHooks(const ProfilerHooks&) = delete;
  ProfilerHooks& operator=(const ProfilerHooks&) = delete;

  // Sets them up where nobody has them. Where that fails, this object has none. Threads of prof
  // wait here for each other, and for CUPTI.
  CUptiResult Take(const CuptiApi& api);
  // Removes them, unless somebody else has them. Without Take it does nothing.
  void Give();
  // They stay, as CUPTI may still use them.
  void Leave() { api_ = nullptr; }

 private:
  const CuptiApi* api_ = nullptr;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_PROFILER_HOOKS_H_
