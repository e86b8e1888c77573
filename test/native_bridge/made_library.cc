// SPDX-License-Identifier: Apache-2.0
//
// A library with one function, whose name the build gives.
#include "test/native_bridge/made_program.h"

extern "C" __attribute__((visibility("default"), noinline)) void PROF_TEST_FUNCTION(
    MadeLaunch launch, void* context) {
  launch(context);
  asm volatile("" ::: "memory");  // no tail call
}
