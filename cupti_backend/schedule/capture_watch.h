// SPDX-License-Identifier: Apache-2.0
//
// The capture watch knows whether the program captures a stream into a graph. Meanwhile the
// profiler is left alone: its calls could spoil the capture. While they are under way no capture
// begins.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cupti_backend/api/driver_api.h"

namespace prof::cupti {

// No lock, no allocation. Captures beyond kMost at a time are not seen.
class CaptureWatch {
 public:
  static constexpr size_t kMost = 64;

  // A capture that begins waits this long at most: the first start of a context takes up to 1.5 s.
  static constexpr int64_t kLongestWaitNs = 3'000'000'000;

  // --- The program's threads ---

  // A capture of `stream` begins, before the driver begins it. Waits while somebody holds captures
  // off.
  void Begin(CUstream stream);
  // It has ended, or did not begin, or its stream is destroyed.
  void End(CUstream stream);

  // Some stream is being captured. One load.
  [[nodiscard]] bool active() const { return active_.load(std::memory_order_seq_cst) != 0; }

  // --- Any thread ---

  // Holds captures off while it lives, or finds one under way. Never around a call of the program.
  class Hold {
   public:
    explicit Hold(CaptureWatch* watch) : watch_(watch) {
      watch_->holds_.fetch_add(1, std::memory_order_seq_cst);
      free_ = !watch_->active();
      if (!free_) watch_->holds_.fetch_sub(1, std::memory_order_seq_cst);
    }
    ~Hold() {
      if (free_) watch_->holds_.fetch_sub(1, std::memory_order_seq_cst);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // No stream is being captured, and none will be.
    explicit operator bool() const { return free_; }

   private:
    CaptureWatch* const watch_;
    bool free_ = false;
  };

 private:
  std::array<std::atomic<CUstream>, kMost> streams_{};
  std::atomic<int> active_{0}, holds_{0};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_
