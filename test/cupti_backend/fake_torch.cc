// SPDX-License-Identifier: Apache-2.0
//
// As much of libtorch_cpu.so as cupti_backend/torch_profiler.h asks for.
extern "C" __attribute__((visibility("default"))) bool fake_torch_on;
bool fake_torch_on = false;

namespace torch::profiler::impl {
__attribute__((visibility("default"))) bool profilerEnabled();
bool profilerEnabled() { return fake_torch_on; }
}  // namespace torch::profiler::impl
