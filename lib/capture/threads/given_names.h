// SPDX-License-Identifier: Apache-2.0
//
// Given names are those of other things than ranges: of threads (nvtxNameOsThread), categories
// (nvtxNameCategory) and streams (nvtxNameCudaStream).
#ifndef PROF_LIB_CAPTURE_THREADS_GIVEN_NAMES_H_
#define PROF_LIB_CAPTURE_THREADS_GIVEN_NAMES_H_

#include <atomic>
#include <cstdint>
#include <functional>

#include "lib/capture/events/events.h"
#include "lib/capture/threads/range_strings.h"

namespace prof::capture {

class GivenNames {
 public:
  constexpr GivenNames() = default;

  // Any thread; lock-free, no allocation; looks at all names given before, a few microseconds at
  // most. The first 4,096 names of a process are kept, those after them counted. A name that a
  // thing has already is not a new one. The text goes to `strings`.
  void Give(const NameEvent& name, RangeStrings* strings);

  // Hands out the names given since `from` (0: all), oldest first, and returns what to pass next
  // time. A later name for the same thing replaces the earlier one. For the collector.
  uint32_t Read(uint32_t from, const std::function<void(const NameEvent&)>& sink) const;

  // Names that had no room, since the process began.
  [[nodiscard]] uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  // `resolver` sets a stream's `context` and `stream` from its handle, while the program's call
  // with it lasts (later the stream may be gone), on the program's thread. nullptr: nobody can.
  void SetStreamResolver(void (*resolver)(NameEvent* name)) { stream_resolver_.store(resolver); }

 private:
  static constexpr uint32_t kMaxNames = 4096;

  struct StoredName {
    NameKind kind = NameKind::kUnknown;
    uint64_t id = 0;
    const StoredString* domain = nullptr;
    uint32_t context = 0, stream = 0;
    std::atomic<const StoredString*> name{nullptr};  // set last
  };

  void Drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }
  bool IsKnown(const NameEvent& event, const StoredString* domain, const StoredString* name) const;

  StoredName names_[kMaxNames] = {};
  std::atomic<uint32_t> count_{0};
  std::atomic<uint64_t> dropped_{0};
  std::atomic<void (*)(NameEvent*)> stream_resolver_{nullptr};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_GIVEN_NAMES_H_
