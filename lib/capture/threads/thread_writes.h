// SPDX-License-Identifier: Apache-2.0
//
// What the recorders of ranges and of ops share: they write to the calling thread's ring, and count
// what has no room.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_WRITES_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_WRITES_H_

#include <atomic>
#include <cstdint>

#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"

namespace prof::capture {

inline bool Recording() { return thread_registry.recording.load(std::memory_order_relaxed); }

inline void Count(std::atomic<uint64_t>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

inline void CheckWritten(ThreadRing::Result result,
                         std::atomic<uint64_t>& dropped = thread_registry.losses.events_dropped) {
  if (result == ThreadRing::Result::kWritten) return;
  if (result == ThreadRing::Result::kFull) {
    Count(dropped);
  } else if (auto* wake = thread_registry.wakeup.load(std::memory_order_acquire)) {
    wake();
  }
}

inline void WritePayload(ThreadState& thread, const Payload& payload, uint32_t path,
                         int64_t ticks) {
  if (payload.type == PayloadType::kNone || path == kNoPath) return;
  CheckWritten(thread.ring.Write(RingRecord::PayloadOf(ticks, path, payload.type),
                                 RingRecord::PayloadValue(payload.bits, payload.field)));
}

inline void WritePayloads(ThreadState& thread, const Payloads& payloads, uint32_t path,
                          int64_t ticks) {
  for (uint32_t i = 0; i < payloads.count; ++i) {
    WritePayload(thread, payloads.values[i], path, ticks);
  }
}

// The numbers come before the step, mark or span that they belong to. So pushes of known names have
// nothing to do with them.
inline void WriteNumbers(ThreadState& thread, uint32_t path, const format::NameNumbers& numbers) {
  for (uint32_t i = 0; i < numbers.count; ++i) {
    const format::NameNumber& number = numbers.number[i];
    CheckWritten(thread.ring.Write(RingRecord::Number(number.value, path, i, StyleOf(number))));
  }
}

// Finds or makes the node of `range`. A node of its own goes to `cached`; the numbers of a folded
// one are written.
[[gnu::noinline]] inline uint32_t LookUpChild(ThreadState& thread, const RangeNode& range,
                                              uint32_t* cached) {
  const uint32_t child =
      thread_registry.paths.NodeOf(range, &thread_registry.strings, &thread.numbers);
  if (thread.numbers.count > 0) {
    if (Recording()) WriteNumbers(thread, child, thread.numbers);
  } else if (child != kNoPath) {
    *cached = child;
  }
  return child;
}

inline ThreadState* CallingThread() {
  ThreadState* thread = calling_thread;
  return thread != nullptr ? thread : RegisterCallingThread();
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_WRITES_H_
