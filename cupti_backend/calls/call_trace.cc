// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/call_trace.h"

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_questions.h"
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

// Both return whether it is inside of no other call.
bool Enter(uint32_t epoch) {
  OpenCalls& open = open_calls;
  if (open.epoch != epoch) {
    open.epoch = epoch;
    open.depth = 0;
  }
  return open.depth++ == 0;
}
bool Leave(uint32_t epoch) {
  OpenCalls& open = open_calls;
  return open.epoch == epoch && open.depth != 0 && --open.depth == 0;
}

}  // namespace

void BeginCall(uint32_t epoch) {
  if (!Enter(epoch)) return;
  OpenCalls& open = open_calls;
  open.waited = 0;
  open.stack = capture::CurrentStack();  // before the clock: no part of the call
  open.begin_ticks = capture::NowTicks();
}

void RecordWaited(const Waited& waited) { open_calls.waited = waited.Packed(); }

void EndCall(uint32_t epoch, uint32_t call, uint32_t correlation, uint32_t error) {
  if (!Leave(epoch)) return;
  const OpenCalls& open = open_calls;
  capture::RecordCall(
      {open.begin_ticks, capture::NowTicks(), call, correlation, error, open.waited, open.stack});
}

// Its stack is that of the first question, and read only there.
void BeginQuestion(uint32_t epoch) {
  if (!Enter(epoch)) return;
  OpenCalls& open = open_calls;
  open.waited = 0;
  open.stack = 0;
  open.begin_ticks = capture::NowTicks();
}

void EndQuestion(uint32_t epoch, uint32_t call, uint32_t correlation, uint32_t error,
                 const void* about) {
  if (!Leave(epoch)) return;
  const OpenCalls& open = open_calls;
  // cudaErrorNotReady has the same value.
  const capture::Answer answer = error == CUDA_ERROR_NOT_READY ? capture::Answer::kNo
                                 : error == CUDA_SUCCESS       ? capture::Answer::kYes
                                                               : capture::Answer::kError;
  capture::RecordQuestion(
      {epoch, reinterpret_cast<uintptr_t>(about)},
      {open.begin_ticks, capture::NowTicks(), call, correlation, error, open.waited, 0}, answer);
}

OwnCalls::OwnCalls(uint32_t epoch) : epoch_(epoch) { Enter(epoch_); }

OwnCalls::~OwnCalls() { Leave(epoch_); }

}  // namespace prof::cupti
