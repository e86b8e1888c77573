// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/call_trace.h"

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::cupti {
namespace {

struct OpenCalls {
  int64_t begin_ticks;  // of the outermost
  uint32_t depth, epoch, waited, stack;
};

// Initial-exec, as in thread_registry.h: no call into the loader during a launch.
__thread OpenCalls open_calls __attribute__((tls_model("initial-exec")));

}  // namespace

void BeginCall(uint32_t epoch) {
  OpenCalls& open = open_calls;
  if (open.epoch != epoch) {
    open.epoch = epoch;
    open.depth = 0;
  }
  if (open.depth++ == 0) {
    open.waited = 0;
    open.stack = capture::CurrentStack();  // before the clock: no part of the call
    open.begin_ticks = capture::NowTicks();
  }
}

void RecordWaited(const Waited& waited) { open_calls.waited = waited.Packed(); }

void EndCall(uint32_t epoch, uint32_t call, uint32_t correlation, uint32_t error) {
  OpenCalls& open = open_calls;
  if (open.epoch != epoch || open.depth == 0 || --open.depth != 0) return;
  capture::RecordCall(
      {open.begin_ticks, capture::NowTicks(), call, correlation, error, open.waited, open.stack});
}

}  // namespace prof::cupti
