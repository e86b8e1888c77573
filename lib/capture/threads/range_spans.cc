// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/range_spans.h"

#include <atomic>

namespace prof::capture {
namespace {

// kFree -> kBusy (being filled) -> kOpen -> kBusy (being ended) -> kEnded -> kFree. A span that is
// on no stack is kOwnerless instead of kOpen, and goes to kFree when it ends.
enum State : uint64_t { kFree, kBusy, kOpen, kOwnerless, kEnded };
constexpr uint64_t kStateBits = 3;
constexpr uint64_t kStateMask = (1U << kStateBits) - 1;
constexpr uint64_t kUntrackedBit = uint64_t{1} << 63U;

struct Span {
  // Generation and state. Every change is a compare-exchange with both, so that a stale id cannot
  // touch a later span in the same place.
  std::atomic<uint64_t> word{0};
  SpanStart start;
  int64_t end = 0;
};

Span spans[kMaxOpenSpans];
alignas(64) std::atomic<uint64_t> next_place{0};
std::atomic<uint32_t> open_count{0};
std::atomic<uint64_t> untracked_count{0};

Span& PlaceOf(uint64_t id) { return spans[id % kMaxOpenSpans]; }
uint64_t Word(uint64_t id, State state) { return (id / kMaxOpenSpans) << kStateBits | state; }

bool Change(uint64_t id, State from, State to) {
  uint64_t expected = Word(id, from);
  return PlaceOf(id).word.compare_exchange_strong(expected, Word(id, to),
                                                  std::memory_order_acq_rel);
}

bool Free(uint64_t id, State from) {
  if (!Change(id, from, kFree)) return false;
  open_count.fetch_sub(1, std::memory_order_release);
  return true;
}

}  // namespace

uint64_t StartSpan(const SpanStart& start) {
  if (open_count.fetch_add(1, std::memory_order_acquire) >= kMaxOpenSpans) {
    open_count.fetch_sub(1, std::memory_order_relaxed);
    return kUntrackedBit | untracked_count.fetch_add(1, std::memory_order_relaxed);
  }
  while (true) {  // fewer than kMaxOpenSpans are open, so there is a free place
    const uint64_t place = next_place.fetch_add(1, std::memory_order_relaxed) % kMaxOpenSpans;
    Span& span = spans[place];
    uint64_t word = span.word.load(std::memory_order_relaxed);
    if ((word & kStateMask) != kFree) continue;
    const uint64_t generation = (word >> kStateBits) + 1;
    const uint64_t id = generation * kMaxOpenSpans + place;
    if (!span.word.compare_exchange_strong(word, Word(id, kBusy), std::memory_order_acquire)) {
      continue;
    }
    span.start = start;
    span.word.store(Word(id, start.owner != nullptr ? kOpen : kOwnerless),
                    std::memory_order_release);
    return id;
  }
}

bool IsUntracked(uint64_t id) { return (id & kUntrackedBit) != 0; }

bool EndSpan(uint64_t id, const ThreadState* caller, int64_t now, SpanStart* start) {
  if (IsUntracked(id)) return false;
  Span& span = PlaceOf(id);
  const bool owned = Change(id, kOpen, kBusy);
  if (!owned && !Change(id, kOwnerless, kBusy)) return false;
  *start = span.start;
  if (!owned || start->owner == caller) {
    Free(id, kBusy);
    return true;
  }
  span.end = now;
  if (Change(id, kBusy, kEnded)) {
    start->owner->foreign_ends.fetch_add(1, std::memory_order_release);
  } else {
    Free(id, kOwnerless);  // disowned meanwhile
  }
  return true;
}

bool HasEnded(uint64_t id, int64_t* end) {
  const Span& span = PlaceOf(id);
  if (span.word.load(std::memory_order_acquire) != Word(id, kEnded)) return false;
  *end = span.end;
  return true;
}

void ReleaseEnded(uint64_t id) { Free(id, kEnded); }

void Disown(uint64_t id) {
  // States only move forward from kOpen, so one of these fits.
  if (!Change(id, kOpen, kOwnerless) && !Change(id, kBusy, kOwnerless)) Free(id, kEnded);
}

}  // namespace prof::capture
