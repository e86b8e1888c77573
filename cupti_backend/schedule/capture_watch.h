// SPDX-License-Identifier: Apache-2.0
//
// The capture watch knows whether the program captures a stream into a graph. Meanwhile the
// profiler and the context are left alone: calls to them could spoil the capture. While the
// profiler's are under way no capture begins.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "cupti_backend/api/driver_api.h"

namespace prof::cupti {

// No lock, no allocation. Captures beyond kMost at a time are not seen.
class CaptureWatch {
 public:
  static constexpr size_t kMost = 64;

  // A capture that begins waits this long at most: the first start of a context takes up to 1.5 s.
  static constexpr int64_t kLongestWaitNs = 3'000'000'000;

  // A wait for a context looks for captures when it begins, so those that begin this much later do
  // not meet it.
  static constexpr int64_t kEntryNs = 5'000'000;

  // --- The program's threads ---

  // A capture of `stream` begins, before the driver begins it. Waits while somebody holds captures
  // off, and up to 3 * kEntryNs where a wait for the context is about to begin.
  void Begin(CUstream stream);
  // It has ended, or did not begin, or its stream is destroyed.
  void End(CUstream stream);

  // Some stream is being captured. One load.
  [[nodiscard]] bool active() const { return active_.load(std::memory_order_seq_cst) != 0; }

  // --- Any thread ---

  // Calls `wait`, which waits for a context, when no stream is being captured: CUDA refuses such a
  // call during a capture, in each mode, and the capture is spoilt. Waits for captures under way,
  // for `longest_ns` at most. True: `wait` was called and returned true. Captures that begin later
  // than kEntryNs after the call run beside it.
  bool EnterBetween(int64_t longest_ns, const std::atomic<bool>& given_up,
                    const std::function<bool()>& wait);

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
  std::atomic<int> wanted_{0};          // waits of EnterBetween() that have not begun
  std::atomic<int64_t> entered_ns_{0};  // when the last one began
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_
