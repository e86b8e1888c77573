// SPDX-License-Identifier: Apache-2.0
//
// A striped count is one that many threads change all the time and one thread reads now and then.
// Threads change different cache lines, as far as there are enough.
#ifndef PROF_LIB_CAPTURE_PROCESS_STRIPED_COUNT_H_
#define PROF_LIB_CAPTURE_PROCESS_STRIPED_COUNT_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "lib/capture/process/thread_id.h"

namespace prof::capture {

class StripedCount {
 public:
  // Sequentially consistent: one thread adds and then reads a flag, another sets the flag and then
  // sums up. At least one of them sees what the other did.
  void Add() { Mine().fetch_add(1, std::memory_order_seq_cst); }
  // On the thread that added.
  void Remove() { Mine().fetch_sub(1, std::memory_order_seq_cst); }
  [[nodiscard]] uint32_t Sum() const {
    uint32_t sum = 0;
    for (const Stripe& stripe : stripes_) sum += stripe.count.load(std::memory_order_seq_cst);
    return sum;
  }

 private:
  struct alignas(64) Stripe {
    std::atomic<uint32_t> count{0};
  };
  std::atomic<uint32_t>& Mine() { return stripes_[CurrentThreadId() % stripes_.size()].count; }

  std::array<Stripe, 16> stripes_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_STRIPED_COUNT_H_
