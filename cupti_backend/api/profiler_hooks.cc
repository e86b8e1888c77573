// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/profiler_hooks.h"

#include "lib/capture/process/mutex.h"

namespace prof::cupti {
namespace {

// Held across calls of CUPTI: one thread must not remove what another one is setting up. No thread
// of the program takes it in a callback.
capture::Mutex mutex;
int owners PROF_GUARDED_BY(mutex) = 0;  // CUPTI has one profiler in a process

}  // namespace

CUptiResult ProfilerHooks::Take(const CuptiApi& api) {
  if (api_ != nullptr) return CUPTI_SUCCESS;
  const capture::MutexLock lock(mutex);
  CUpti_Profiler_Initialize_Params params = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  const CUptiResult result = api.profiler_initialize(&params);
  if (result != CUPTI_SUCCESS) return result;
  api_ = &api;
  ++owners;
  return CUPTI_SUCCESS;
}

void ProfilerHooks::Give() {
  if (api_ == nullptr) return;
  const capture::MutexLock lock(mutex);
  if (--owners == 0) {
    CUpti_Profiler_DeInitialize_Params params = {CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    api_->profiler_deinitialize(&params);
  }
  api_ = nullptr;
}

}  // namespace prof::cupti
