// SPDX-License-Identifier: Apache-2.0
//
// The end watch knows which work of a context has ended: within one stream all work before it has.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_END_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_END_WATCH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::cupti {

// No lock, no allocation. Of two contexts that share a place the second one has no answers.
class EndWatch {
 public:
  // The collector thread, for each decoded record.
  void Add(uint32_t context, uint32_t correlation) {
    std::atomic<uint64_t>& place = places_[context % places_.size()];
    const uint64_t known = place.load(std::memory_order_relaxed);
    if (known != 0 && (known >> 32 != context || !Later(correlation, known))) return;
    place.store(uint64_t{context} << 32 | correlation, std::memory_order_relaxed);
  }
  // Any thread: the correlation id of the latest launch whose record has come. 0: none is known.
  uint32_t Last(uint32_t context) const {
    const uint64_t known = places_[context % places_.size()].load(std::memory_order_relaxed);
    return known >> 32 == context ? static_cast<uint32_t>(known) : 0;
  }

 private:
  static bool Later(uint32_t correlation, uint64_t known) {  // they wrap around
    return static_cast<int32_t>(correlation - static_cast<uint32_t>(known)) > 0;
  }

  std::array<std::atomic<uint64_t>, 16> places_{};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_END_WATCH_H_
