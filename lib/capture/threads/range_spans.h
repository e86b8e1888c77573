// SPDX-License-Identifier: Apache-2.0
//
// The ranges of nvtxRangeStart that are open. Any thread may end them.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_SPANS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_SPANS_H_

#include <cstdint>

#include "lib/capture/events/events.h"
#include "lib/capture/threads/thread_state.h"

namespace prof::capture {

constexpr uint32_t kMaxOpenSpans = 16'384;

struct SpanStart {
  ThreadState* owner = nullptr;  // has it on its stack; nullptr: no thread has
  uint32_t path = kNoPath, tid = 0;
  int64_t ticks = 0;  // of tick_clock.h
  Payload payload;
};

// All functions: any thread; no lock, no allocation. Ids are never reused.

// Returns the span's id; when kMaxOpenSpans are open an id that EndSpan does not know but
// IsUntracked does.
uint64_t StartSpan(const SpanStart& start);
bool IsUntracked(uint64_t id);

// Ends a span: true, once. A span that another thread has on its stack waits there (as ended at
// `now`) until that thread has noticed.
bool EndSpan(uint64_t id, const ThreadState* caller, int64_t now, SpanStart* start);

// --- By the thread that has the span on its stack ---

// Whether another thread has ended it, and when.
bool HasEnded(uint64_t id, int64_t* end);
// It is off the stack: its place may be used again.
void ReleaseEnded(uint64_t id);
// The thread ends, and the span goes on without it.
void Disown(uint64_t id);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_SPANS_H_
