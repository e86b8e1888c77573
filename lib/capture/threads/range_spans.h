// SPDX-License-Identifier: Apache-2.0
//
// Range spans are the ranges of nvtxRangeStart that are open. Any thread may end them.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_SPANS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_SPANS_H_

#include <atomic>
#include <cstdint>

#include "lib/capture/events/events.h"
#include "lib/capture/threads/thread_state.h"
#include "lib/format/name_pattern.h"

namespace prof::capture {

constexpr uint32_t kMaxOpenSpans = 16'384;

struct SpanStart {
  ThreadState* owner = nullptr;  // has it on its stack; nullptr: no thread has
  uint32_t path = kNoPath, tid = 0;
  int64_t ticks = 0;            // of tick_clock.h
  format::NameNumbers numbers;  // of its name, if its node is folded
};

// All functions: any thread; no lock, no allocation. Ids are never reused.
class RangeSpans {
 public:
  constexpr RangeSpans() = default;

  // Returns the span's id. When kMaxOpenSpans are open, it is an id that End does not know but
  // IsUntracked does.
  [[nodiscard]] uint64_t Start(const SpanStart& start);
  [[nodiscard]] static bool IsUntracked(uint64_t id);

  // Ends a span: true, once. A span that another thread has on its stack waits there (as ended at
  // `now`) until that thread has noticed.
  [[nodiscard]] bool End(uint64_t id, const ThreadState* caller, int64_t now, SpanStart* start);

  // --- By the thread that has the span on its stack ---

  // Whether another thread has ended it, and when.
  [[nodiscard]] bool HasEnded(uint64_t id, int64_t* end) const;
  // The numbers of the name of a span that is open.
  [[nodiscard]] const format::NameNumbers& NumbersOf(uint64_t id) const {
    return spans_[id % kMaxOpenSpans].start.numbers;
  }
  // It is off the stack: its place may be used again.
  void ReleaseEnded(uint64_t id);
  // The thread ends, and the span goes on without it.
  void Disown(uint64_t id);

 private:
  // kFree -> kBusy (being filled) -> kOpen -> kBusy (being ended) -> kEnded -> kFree. A span that
  // is on no stack is kOwnerless instead of kOpen, and goes to kFree when it ends.
  enum State : uint64_t { kFree, kBusy, kOpen, kOwnerless, kEnded };

  struct Span {
    // Generation and state. Every change is a compare-exchange with both, so that a stale id cannot
    // touch a later span in the same place.
    std::atomic<uint64_t> word{0};
    SpanStart start;
    int64_t end = 0;
  };

  static uint64_t Word(uint64_t id, State state);
  Span& PlaceOf(uint64_t id) { return spans_[id % kMaxOpenSpans]; }
  bool Change(uint64_t id, State from, State to);
  void Free(uint64_t id, State from);

  Span spans_[kMaxOpenSpans] = {};
  alignas(64) std::atomic<uint64_t> next_place_{0};
  std::atomic<uint32_t> open_count_{0};
  std::atomic<uint64_t> untracked_count_{0};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_SPANS_H_
