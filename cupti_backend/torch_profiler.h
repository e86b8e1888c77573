// SPDX-License-Identifier: Apache-2.0
//
// The torch profiler query asks PyTorch, if it is in the process, whether its profiler records.
#ifndef PROF_CUPTI_BACKEND_TORCH_PROFILER_H_
#define PROF_CUPTI_BACKEND_TORCH_PROFILER_H_

namespace prof::cupti {

// Whether the calling thread is being recorded by torch.profiler. False during its warm-up.
using TorchProfilerEnabled = bool (*)();

// torch::profiler::impl::profilerEnabled() of the libtorch_cpu.so that the process has loaded;
// nullptr when there is none. Loads nothing.
TorchProfilerEnabled FindTorchProfiler();

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_TORCH_PROFILER_H_
