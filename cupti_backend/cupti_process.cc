// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/cupti_process.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/capture/environment.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::cupti {
namespace {

CuptiProcess* process = nullptr;  // captures are started one at a time

// The program is naming a stream of its current context, so the handle is valid.
void ResolveStream(capture::NameEvent* name) {
  CUcontext context = nullptr;
  if (process->driver.ctx_get_current(&context) != CUDA_SUCCESS || context == nullptr) return;
  uint32_t context_id = 0, stream_id = 0;
  CUstream stream = nullptr;
  std::memcpy(&stream, &name->id, sizeof(name->id));
  if (process->api.get_context_id(context, &context_id) != CUPTI_SUCCESS ||
      process->api.get_stream_id(context, stream, 0, &stream_id) != CUPTI_SUCCESS) {
    return;
  }
  name->context = context_id;
  name->stream = stream_id;
}

// `holder`: the tool that holds CUPTI, as far as CUPTI names it.
Problem NotSubscribed(CUptiResult result, const std::string& holder) {
  Problem problem;
  problem.code = static_cast<int>(result);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    problem.what = "another tool holds CUPTI in this process";
    if (!holder.empty()) problem.what += ": " + holder;
    const std::string tool = capture::CudaToolBeforeUs();
    if (!tool.empty()) problem.what += "; CUDA_INJECTION64_PATH named " + tool;
    problem.fix = "run without that tool (nsys, ncu, compute-sanitizer, an older torch.profiler)";
  } else if (result == CUPTI_ERROR_NOT_INITIALIZED) {
    problem.what = "the CUPTI at " + process->api.path +
                   " is newer than the NVIDIA driver: " + ErrorText(process->api, result);
    problem.fix =
        "update the driver, or install the CUPTI of its CUDA version (pip's nvidia-cuda-cupti-cu12 "
        "for CUDA 12) and set PROF_CUPTI to it";
  } else {
    problem.what = "CUPTI found no usable NVIDIA driver: " + ErrorText(process->api, result);
    problem.fix = "check that nvidia-smi works here";
  }
  return problem;
}

}  // namespace

void ResolveStreamNames(bool on) {
  capture::SetStreamResolver(on && process != nullptr ? &ResolveStream : nullptr);
}

AcquiredProcess AcquireCuptiProcess(size_t buffer_bytes, size_t device_bytes) {
  if (process == nullptr) {
    auto fresh = std::make_unique<CuptiProcess>(buffer_bytes);
    std::optional<Problem> problem = LoadDriver(&fresh->driver);
    int cuda_driver = 0;
    if (!problem) fresh->driver.driver_get_version(&cuda_driver);  // 0 where it fails: unknown
    if (!problem) problem = LoadCupti(&fresh->api, cuda_driver);
    if (problem) return {nullptr, std::move(*problem)};
    process = fresh.release();
  }
  switch (process->callback.TakeGone()) {
    case Departure::Left::kNo:
      break;
    case Departure::Left::kLeaving:
      return {nullptr,
              {0, "a recording before is leaving CUPTI, which waits for the GPU",
               "start the recording when the GPU has done its work"}};
    case Departure::Left::kGone:
      process->callback.OnLost();
      process->tracer.OnLost();
  }
  if (!process->callback.MayStartAgain()) {
    return {nullptr,
            {0,
             "another profiler in this process has ended CUPTI (cuptiFinalize), and " +
                 process->api.path + " is too old to be started again safely",
             "set TEARDOWN_CUPTI=0 in the program's environment, or use CUPTI 12.6 or newer"}};
  }
  std::string holder;
  const CUptiResult result = process->callback.Subscribe(&holder);
  if (result != CUPTI_SUCCESS) return {nullptr, NotSubscribed(result, holder)};
  CuptiSettings& settings = process->tracer.settings();
  if (settings.device_bytes() == 0) settings.LimitDeviceMemory(device_bytes);
  return {process, {}};
}

}  // namespace prof::cupti
