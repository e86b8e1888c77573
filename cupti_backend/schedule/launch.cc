// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/launch.h"

#include <algorithm>
#include <atomic>

#include "cupti_backend/api/relaxed_capture.h"
#include "cupti_backend/calls/stream_calls.h"
#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

CUdevice CurrentDevice(const DriverApi& driver) {
  CUdevice device = 0;
  driver.ctx_get_device(&device);
  return device;
}

// A launch takes a CUfunction, or a CUkernel in its place, and only the driver can tell them apart.
// A wrong guess is an error in its log (CUDA_LOG_FILE): what the last launch had comes first.
std::atomic<bool> last_was_kernel{true};

std::optional<uint32_t> AttributeOf(const Launch& launch, const DriverApi& driver,
                                    CUfunction_attribute which) {
  void* const launched = const_cast<void*>(launch.signature.function);
  const bool first = last_was_kernel.load(std::memory_order_relaxed);
  for (const bool kernel : {first, !first}) {
    int value = 0;
    const CUresult result =
        kernel ? driver.kernel_get_attribute(&value, which, static_cast<CUkernel>(launched),
                                             CurrentDevice(driver))
               : driver.func_get_attribute(&value, which, static_cast<CUfunction>(launched));
    if (result != CUDA_SUCCESS) continue;
    last_was_kernel.store(kernel, std::memory_order_relaxed);
    return static_cast<uint32_t>(std::max(value, 0));
  }
  return std::nullopt;
}

template <typename Params>
void FillFrom(const Params& p, bool per_thread, Launch* launch) {
  launch->signature.function = p.f;
  launch->signature.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  launch->signature.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  launch->signature.dynamic_shared_bytes = p.sharedMemBytes;
  launch->stream = NormalStream(p.hStream, per_thread);
}

void FillFrom(const cuGraphLaunch_params& p, bool per_thread, Launch* launch) {
  launch->unit = capture::SampleUnit::kGraph;
  launch->signature.function = p.hGraph;
  launch->stream = NormalStream(p.hStream, per_thread);
}

// False: the driver will refuse it.
bool FillFrom(const cuLaunchKernelEx_params& p, bool per_thread, Launch* launch) {
  if (p.config == nullptr) return false;
  launch->signature.function = p.f;
  launch->signature.grid = {p.config->gridDimX, p.config->gridDimY, p.config->gridDimZ};
  launch->signature.block = {p.config->blockDimX, p.config->blockDimY, p.config->blockDimZ};
  launch->signature.dynamic_shared_bytes = p.config->sharedMemBytes;
  launch->stream = NormalStream(p.config->hStream, per_thread);
  return true;
}

}  // namespace

bool ReadLaunch(CUpti_CallbackId cbid, const void* params, Launch* launch) {
  bool per_thread = false;
  switch (cbid) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      per_thread = true;
      [[fallthrough]];
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      FillFrom(*static_cast<const cuLaunchKernel_params*>(params), per_thread, launch);
      return true;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      per_thread = true;
      [[fallthrough]];
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      FillFrom(*static_cast<const cuLaunchCooperativeKernel_params*>(params), per_thread, launch);
      return true;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      per_thread = true;
      [[fallthrough]];
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      return FillFrom(*static_cast<const cuLaunchKernelEx_params*>(params), per_thread, launch);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      per_thread = true;
      [[fallthrough]];
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
      FillFrom(*static_cast<const cuGraphLaunch_params*>(params), per_thread, launch);
      return true;
    default:
      return false;
  }
}

std::optional<uint32_t> LocalBytesOf(const Launch& launch, const DriverApi& driver) {
  const RelaxedCapture relaxed(driver);
  return AttributeOf(launch, driver, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
}

capture::UntracedKernelEvent UntracedKernelOf(const Launch& launch, const CuptiApi& api,
                                              const DriverApi& driver) {
  const auto attribute = [&](CUfunction_attribute which) {
    return AttributeOf(launch, driver, which).value_or(0);
  };
  capture::UntracedKernelEvent event;
  event.name = launch.kernel_name;
  event.grid = launch.signature.grid;
  event.block = launch.signature.block;
  event.dynamic_shared_bytes = launch.signature.dynamic_shared_bytes;
  event.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  event.registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  const auto local = AttributeOf(launch, driver, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  event.local_known = local.has_value();
  event.local_bytes_per_thread = local.value_or(0);
  event.device = static_cast<uint32_t>(std::max(CurrentDevice(driver), 0));
  api.get_context_id(launch.context, &event.context);
  const bool per_thread = launch.stream == CU_STREAM_PER_THREAD;
  api.get_stream_id(launch.context, per_thread ? nullptr : launch.stream, per_thread ? 1 : 0,
                    &event.stream);
  event.correlation = launch.correlation;
  event.launch_ns = capture::RealtimeNs();
  return event;
}

}  // namespace prof::cupti
