// SPDX-License-Identifier: Apache-2.0
//
// A launch is what the sampler knows of a kernel or graph launch from its callback.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_H_

#include <cstdint>
#include <optional>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/schedule/sample_schedule.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// A range that is counted is a launch too.
struct Launch {
  capture::SampleUnit unit = capture::SampleUnit::kKernel;
  Signature signature;  // of a graph: its executable graph as the function
  CUcontext context = nullptr;
  CUstream stream = nullptr;  // as NormalStream gives it (stream_calls.h)
  uint32_t correlation = 0;
  uint32_t path = 0;
  const char* kernel_name = nullptr;
  bool waits = false;  // a graph with a node that may wait for other GPUs or the host
};

// Reads the parameters of a launch call: unit, signature and stream. False for any other call, for
// launches on several devices, which are never sampled, and for what the driver will refuse.
bool ReadLaunch(CUpti_CallbackId cbid, const void* params, Launch* launch);

// The local memory of the kernel for each thread, in bytes: its stack, with the registers that were
// spilled to it. Asks the driver. nullopt: it does not answer. CUPTI's record of a launch has 0 for
// each kernel (13.0, on an H200).
std::optional<uint32_t> LocalBytesOf(const Launch& launch, const DriverApi& driver);

// The event for a launch that may have no record. Its context is current. Asks the driver for the
// kernel's resources.
capture::UntracedKernelEvent UntracedKernelOf(const Launch& launch, const CuptiApi& api,
                                              const DriverApi& driver);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_H_
