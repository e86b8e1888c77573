// SPDX-License-Identifier: Apache-2.0
//
// The waiting ranges are the counted ranges in which a kernel was launched that waits for other
// GPUs or for the host. They are not counted: the end of a counted range waits for its work.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_WAITING_RANGES_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_WAITING_RANGES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::cupti {

// The program's threads; no lock, no allocation. Numbered siblings count as one range. Where there
// is no more room every range waits.
class WaitingRanges {
 public:
  static constexpr size_t kMost = 1024;

  // A waiting kernel was launched in `path`, and so in the ranges around it.
  void Add(uint32_t path);
  // An instance of the range came before, and none of them held a waiting kernel. From then on an
  // instance has come.
  [[nodiscard]] bool Known(uint32_t path);

 private:
  enum Mark : uint64_t { kSeen = 1, kWaits = 2 };

  // The marks of a family of paths, and sets one; the family is in the upper bits.
  uint64_t SetMark(uint64_t family, uint64_t mark);

  std::array<std::atomic<uint64_t>, kMost> places_{};
  std::atomic<bool> full_{false};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_WAITING_RANGES_H_
