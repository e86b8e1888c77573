// SPDX-License-Identifier: Apache-2.0
//
// A libcuda.so.1 without a GPU. Every function succeeds, and none does anything; cuDeviceGetCount
// fails until fake_cuda_is_initialized is set.
#include "cupti_backend/api/driver_api.h"

extern "C" {
int fake_cuda_is_initialized = 0;
}

// NOLINTBEGIN(readability-identifier-naming)
#define PROF_TEST_EXPORT(field, symbol)                               \
  extern "C" int fake_##field(int* first) __asm__(#symbol);           \
  int fake_##field(int* first) {                                      \
    constexpr char kName[] = #field;                                  \
    if (kName[0] != 'd' || kName[sizeof(kName) - 2] != 't') return 0; \
    *first = 1;                                                       \
    return fake_cuda_is_initialized != 0 ? 0 : 3;                     \
  }
PROF_DRIVER_FUNCTIONS(PROF_TEST_EXPORT)
extern "C" int cuCtxSynchronizeOfFake() __asm__("cuCtxSynchronize");
int cuCtxSynchronizeOfFake() { return 0; }
// NOLINTEND(readability-identifier-naming)
