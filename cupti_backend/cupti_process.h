// SPDX-License-Identifier: Apache-2.0
//
// The CUPTI process holds what exists once in a process: the loaded libraries, the subscription,
// the buffer pool. The first recording makes it. It is never destroyed, because CUPTI may call back
// as long as the process lives.
#ifndef PROF_CUPTI_BACKEND_CUPTI_PROCESS_H_
#define PROF_CUPTI_BACKEND_CUPTI_PROCESS_H_

#include <cstddef>

#include "cupti_backend/activity/activity_tracer.h"
#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/api/problem.h"
#include "cupti_backend/launch_callback.h"
#include "cupti_backend/pm/pm_host.h"

namespace prof::cupti {

struct CuptiProcess {
  explicit CuptiProcess(size_t buffer_bytes) : callback(&api), tracer(&api, buffer_bytes) {}

  CuptiApi api;
  DriverApi driver;
  LaunchCallback callback;
  ActivityTracer tracer;
  // Of continuous PM sampling, and of triage.
  PmHosts pm_hosts, triage_hosts;
};

struct AcquiredProcess {
  CuptiProcess* process = nullptr;  // nullptr: `problem` is the reason
  Problem problem;
};
// The one of this process, loaded and subscribed, with the memory that the first call gave it. A
// failure is final for the process, except for a subscriber that goes away.
[[nodiscard]] AcquiredProcess AcquireCuptiProcess(size_t buffer_bytes, size_t device_bytes);

// While on, streams that the program names are recorded with CUPTI's ids. It does nothing before a
// process was acquired. The thread that starts or stops a capture.
void ResolveStreamNames(bool on);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CUPTI_PROCESS_H_
