// SPDX-License-Identifier: Apache-2.0
//
// The sampling budget limits how much of the program's time counters may cost, and adds up what
// they have cost.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_SAMPLING_BUDGET_H_
#define PROF_CUPTI_BACKEND_SAMPLING_SAMPLING_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "prof/session.h"

namespace prof::cupti {

// Any thread; no lock, no allocation but in Text().
class SamplingBudget {
 public:
  // With --counters auto the budget is 2 % + 0.5 s, unless the options have another than the
  // default of the levels.
  static constexpr double kAutoPercent = 2, kAutoSeconds = 0.5;

  // `ranks`: processes of the job that wait for each other. Each of them stalls at its own moments,
  // and all wait for each: so they divide the budget.
  SamplingBudget(const SessionOptions& options, int64_t start_ns, int ranks = 1);

  [[nodiscard]] int ranks() const { return ranks_.load(std::memory_order_relaxed); }
  void SetRanks(int ranks) { ranks_.store(std::max(ranks, 1), std::memory_order_relaxed); }

  void Spend(int64_t cost_ns) { cost_ns_.fetch_add(cost_ns, std::memory_order_relaxed); }
  // All ranks do it at the same time, so they wait for each other once.
  void SpendAtOnce(int64_t cost_ns) { at_once_ns_.fetch_add(cost_ns, std::memory_order_relaxed); }

  // False: no sample now. Remembers that.
  [[nodiscard]] bool Allows(int64_t now_ns) const;
  // `cost_ns` more fits. For what is not worth beginning otherwise.
  [[nodiscard]] bool Affords(int64_t cost_ns, int64_t now_ns) const;
  // More than half of it is left.
  [[nodiscard]] bool Plenty(int64_t now_ns) const;
  // For how long it has been used up without a break, in ns; 0: it is not.
  [[nodiscard]] int64_t UsedUpFor(int64_t now_ns) const;
  // It was used up at some time.
  [[nodiscard]] bool was_used_up() const { return used_up_.load(std::memory_order_relaxed); }
  // It is used up, and no time of the run adds to it.
  [[nodiscard]] bool Exhausted(int64_t now_ns) const;

  std::string Text() const;  // "2 s + 1 %"

 private:
  [[nodiscard]] double AllowedNs(int64_t now_ns) const;
  [[nodiscard]] double SpentNs() const;

  const double seconds_, percent_;  // of all ranks: once; of the run time
  std::atomic<int> ranks_;
  const bool unlimited_;  // replay is: its user wants to pay for it
  const int64_t start_ns_;
  std::atomic<int64_t> cost_ns_{0}, at_once_ns_{0};
  mutable std::atomic<bool> used_up_{false};
  mutable std::atomic<int64_t> used_up_since_ns_{0};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_SAMPLING_BUDGET_H_
