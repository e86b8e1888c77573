// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/range_spans.h"

namespace prof::capture {
namespace {

constexpr uint64_t kStateBits = 3;
constexpr uint64_t kStateMask = (1U << kStateBits) - 1;
constexpr uint64_t kUntrackedBit = uint64_t{1} << 63U;

}  // namespace

uint64_t RangeSpans::Word(uint64_t id, State state) {
  return (id / kMaxOpenSpans) << kStateBits | state;
}

bool RangeSpans::Change(uint64_t id, State from, State to) {
  uint64_t expected = Word(id, from);
  return PlaceOf(id).word.compare_exchange_strong(expected, Word(id, to),
                                                  std::memory_order_acq_rel);
}

void RangeSpans::Free(uint64_t id, State from) {
  if (Change(id, from, kFree)) open_count_.fetch_sub(1, std::memory_order_release);
}

uint64_t RangeSpans::Start(const SpanStart& start) {
  if (open_count_.fetch_add(1, std::memory_order_acquire) >= kMaxOpenSpans) {
    open_count_.fetch_sub(1, std::memory_order_relaxed);
    return kUntrackedBit | untracked_count_.fetch_add(1, std::memory_order_relaxed);
  }
  while (true) {  // fewer than kMaxOpenSpans are open, so there is a free place
    const uint64_t place = next_place_.fetch_add(1, std::memory_order_relaxed) % kMaxOpenSpans;
    Span& span = spans_[place];
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

bool RangeSpans::IsUntracked(uint64_t id) { return (id & kUntrackedBit) != 0; }

bool RangeSpans::End(uint64_t id, const ThreadState* caller, int64_t now, SpanStart* start) {
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

bool RangeSpans::HasEnded(uint64_t id, int64_t* end) const {
  const Span& span = spans_[id % kMaxOpenSpans];
  if (span.word.load(std::memory_order_acquire) != Word(id, kEnded)) return false;
  *end = span.end;
  return true;
}

void RangeSpans::ReleaseEnded(uint64_t id) { Free(id, kEnded); }

void RangeSpans::Disown(uint64_t id) {
  // States only move forward from kOpen, so one of these fits.
  if (!Change(id, kOpen, kOwnerless) && !Change(id, kBusy, kOwnerless)) Free(id, kEnded);
}

}  // namespace prof::capture
