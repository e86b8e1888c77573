// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/waiting_ranges.h"

#include "lib/capture/threads/thread_recorder.h"

namespace prof::cupti {
namespace {

constexpr uint64_t kMarks = 3;  // the bits of the marks

}  // namespace

// What the marks were before.
uint64_t WaitingRanges::SetMark(uint64_t family, uint64_t mark) {
  const uint64_t key = family << 2;
  for (size_t probe = 0; probe < kMost; ++probe) {
    std::atomic<uint64_t>& place = places_[(family * 0x9E3779B97F4A7C15U + probe) % kMost];
    uint64_t known = place.load(std::memory_order_relaxed);
    if (known == 0 && place.compare_exchange_strong(known, key | mark)) return 0;
    if ((known & ~kMarks) == key) return place.fetch_or(mark) & kMarks;
  }
  full_.store(true, std::memory_order_relaxed);
  return kWaits;
}

void WaitingRanges::Add(uint32_t path) {
  for (; path != 0; path = capture::PathParent(path)) SetMark(capture::PathFamily(path), kWaits);
}

bool WaitingRanges::Known(uint32_t path) {
  return SetMark(capture::PathFamily(path), kSeen) == kSeen &&
         !full_.load(std::memory_order_relaxed);
}

}  // namespace prof::cupti
