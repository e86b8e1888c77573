// SPDX-License-Identifier: Apache-2.0
//
// The counter errors explain why counters do not work on this machine, and how to get them.
#ifndef PROF_CUPTI_BACKEND_API_COUNTER_ERRORS_H_
#define PROF_CUPTI_BACKEND_API_COUNTER_ERRORS_H_

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/problem.h"

namespace prof::cupti {

// `action` completes "CUPTI could not ...".
[[nodiscard]] Problem ExplainCounterError(const CuptiApi& api, CUptiResult result,
                                          const char* action);

struct HostFiles {
  std::string driver_params = "/proc/driver/nvidia/params";
  std::string process_status = "/proc/self/status";
  std::string user_map = "/proc/self/uid_map";
};

// Finds what prevents counters on this device, without a use of them: the driver's restriction to
// administrators first, then vGPU, confidential computing, SLI, CMP, WSL, an unsupported chip. The
// code is the one that CUPTI would return.
[[nodiscard]] std::optional<Problem> FindCounterObstacle(const CuptiApi& api, CUdevice device,
                                                         const HostFiles& files = {});

// True when the driver's parameters restrict counters to administrators
// (`params`: the text of /proc/driver/nvidia/params).
bool RestrictsProfiling(const std::string& params);

// Programs under `proc` that are known to take a GPU's counters: "nv-hostengine (pid 812)". CUPTI
// does not name the holder; other containers and machines are not seen. Empty: none.
std::string CounterHolders(const std::string& proc);

// True where CUDA's Multi-Process Service is in use: its daemon runs (under `proc`), or has its
// control pipe in the folder `pipes`.
bool MpsIsUsed(const std::string& proc, const std::string& pipes);

// How long to wait after the `attempt`th refusal of busy counters (from 0): 1, 2, 4 ... 60 s.
int64_t CounterRetryNs(int attempt);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_COUNTER_ERRORS_H_
