// SPDX-License-Identifier: Apache-2.0
//
// This library is a tool that CUDA_INJECTION64_PATH names.
#include <cstdio>

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  std::puts("the other tool's output");
  return 1;
}
