// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/profiler_hooks.h"

#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/mutex.h"

namespace prof::cupti {
namespace {

// Guards CuptiApi::hooked. Held across calls of CUPTI: one thread must not remove what another one
// is setting up. No thread of the program takes it, and no child finds it locked.
capture::Mutex mutex;

}  // namespace

CUptiResult ProfilerHooks::Take(const CuptiApi& api) {
  const capture::FirstAtExit first_at_exit;  // CUPTI may load libraries
  const capture::NoForks no_forks;
  const capture::MutexLock lock(mutex);
  if (api.hooked == 0) {
    CUpti_Profiler_Initialize_Params params = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    const CUptiResult result = api.profiler_initialize(&params);
    if (result != CUPTI_SUCCESS) return result;
  }
  api_ = &api;
  ++api.hooked;
  return CUPTI_SUCCESS;
}

ProfilerHooks::~ProfilerHooks() {
  if (api_ == nullptr) return;
  const capture::NoForks no_forks;
  const capture::MutexLock lock(mutex);
  if (--api_->hooked > 0 || capture::Exiting()) return;  // at its exit CUPTI may be gone soon
  CUpti_Profiler_DeInitialize_Params params = {CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
  api_->profiler_deinitialize(&params);
}

}  // namespace prof::cupti
