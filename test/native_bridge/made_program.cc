// SPDX-License-Identifier: Apache-2.0
#include "test/native_bridge/made_program.h"

#include <alloca.h>

#include <cstring>

namespace {

volatile int made_sink = 0;

// Behind the call, so that it is no jump.
inline __attribute__((always_inline)) void MadeInner(MadeLaunch launch, void* context) {
  launch(context);
  made_sink = made_sink + 1;
}

}  // namespace

extern "C" {

__attribute__((noinline)) void made_middle(MadeLaunch launch, void* context) {
  MadeInner(launch, context);
  made_sink = made_sink + 1;
}

__attribute__((noinline)) void made_outer(MadeLaunch launch, void* context) {
  made_middle(launch, context);
  made_sink = made_sink + 1;
}

__attribute__((noinline)) void made_with_alloca(MadeLaunch launch, void* context, unsigned bytes) {
  auto* const room = static_cast<char*>(alloca(bytes));
  std::memset(room, 1, bytes);
  made_middle(launch, context);
  made_sink = made_sink + room[bytes / 2];
}

__attribute__((noinline)) void made_aligned(MadeLaunch launch, void* context) {
  alignas(256) char room[512];
  std::memset(room, 1, sizeof(room));
  asm volatile("" ::"r"(room) : "memory");
  made_middle(launch, context);
  made_sink = made_sink + room[17];
}

__attribute__((noinline)) void made_inlined(MadeLaunch launch, void* context) {
  MadeInner(launch, context);
  made_sink = made_sink + 1;
}

__attribute__((noinline)) void made_recursion(MadeLaunch launch, void* context, unsigned depth) {
  if (depth == 0) {
    made_middle(launch, context);
  } else {
    made_recursion(launch, context, depth - 1);
  }
  made_sink = made_sink + 1;
}
}
