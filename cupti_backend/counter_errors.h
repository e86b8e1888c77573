// SPDX-License-Identifier: Apache-2.0
//
// Why counters do not work here, in words, and how to get them.
#ifndef PROF_CUPTI_BACKEND_COUNTER_ERRORS_H_
#define PROF_CUPTI_BACKEND_COUNTER_ERRORS_H_

#include <cuda.h>

#include <string>

#include "cupti_backend/cupti_api.h"

namespace prof::cupti {

struct CounterProblem {
  int code = 0;      // CUptiResult; 0: none
  std::string what;  // empty: no problem
  std::string fix;
};

// `action` completes "CUPTI could not ...".
CounterProblem ExplainCounterError(const CuptiApi& api, CUptiResult result, const char* action);

// What keeps this device from counting, found without touching its counters: the driver's
// restriction to administrators, MIG, vGPU, confidential computing, an unsupported chip.
CounterProblem FindCounterObstacle(const CuptiApi& api, CUdevice device);

// True when the driver's parameters restrict counters to administrators
// (`params`: the text of /proc/driver/nvidia/params).
bool RestrictsProfiling(const std::string& params);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_COUNTER_ERRORS_H_
