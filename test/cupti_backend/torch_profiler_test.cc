// SPDX-License-Identifier: Apache-2.0
//
// A library of the name and with the function of PyTorch's (fake_torch.cc) stands in for it.
#include "cupti_backend/torch_profiler.h"

#include <dlfcn.h>

#include "test/support/catch.h"

namespace prof::cupti::torch_profiler_test {
namespace {

TEST_CASE("PyTorch's profiler is asked where PyTorch is loaded, and only there") {
  CHECK(FindTorchProfiler() == nullptr);
  void* library = dlopen(PROF_TEST_FAKE_TORCH, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const TorchProfilerEnabled enabled = FindTorchProfiler();
  REQUIRE(enabled != nullptr);
  auto* on = static_cast<bool*>(dlsym(library, "fake_torch_on"));
  REQUIRE(on != nullptr);
  CHECK_FALSE(enabled());
  *on = true;
  CHECK(enabled());
}

}  // namespace
}  // namespace prof::cupti::torch_profiler_test
