// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/sampling_budget.h"

#include <algorithm>
#include <cstdio>

namespace prof::cupti {
namespace {

// The field's value; with --counters auto its own default in place of that of the levels.
double ValueOf(const SessionOptions& options, double SessionOptions::*field, double of_auto) {
  const bool untouched = options.*field == SessionOptions{}.*field;
  const bool by_need = options.counters == Counters::kAuto && untouched;
  return by_need ? of_auto : options.*field;
}

}  // namespace

SamplingBudget::SamplingBudget(const SessionOptions& options, int64_t start_ns, int ranks)
    : seconds_(ValueOf(options, &SessionOptions::counter_budget_seconds, kAutoSeconds)),
      percent_(ValueOf(options, &SessionOptions::counter_budget_percent, kAutoPercent)),
      ranks_(std::max(ranks, 1)),
      unlimited_(options.replay == Replay::kKernel),
      start_ns_(start_ns) {}

double SamplingBudget::AllowedNs(int64_t now_ns) const {
  const double of_all = seconds_ * 1e9 + percent_ / 100.0 * static_cast<double>(now_ns - start_ns_);
  return of_all / ranks();
}

double SamplingBudget::SpentNs() const {
  return static_cast<double>(cost_ns_.load(std::memory_order_relaxed)) +
         static_cast<double>(at_once_ns_.load(std::memory_order_relaxed)) / ranks();
}

bool SamplingBudget::Allows(int64_t now_ns) const {
  if (unlimited_) return true;
  const bool within = SpentNs() <= AllowedNs(now_ns);
  const int64_t since_ns = used_up_since_ns_.load(std::memory_order_relaxed);
  if (within == (since_ns == 0)) return within;  // as before
  used_up_since_ns_.store(within ? 0 : std::max<int64_t>(now_ns, 1), std::memory_order_relaxed);
  if (!within) used_up_.store(true, std::memory_order_relaxed);
  return within;
}

bool SamplingBudget::Affords(int64_t cost_ns, int64_t now_ns) const {
  return unlimited_ || SpentNs() + static_cast<double>(cost_ns) <= AllowedNs(now_ns);
}

bool SamplingBudget::Plenty(int64_t now_ns) const {
  return unlimited_ || 2 * SpentNs() <= AllowedNs(now_ns);
}

int64_t SamplingBudget::UsedUpFor(int64_t now_ns) const {
  if (Allows(now_ns)) return 0;
  return std::max<int64_t>(now_ns - used_up_since_ns_.load(std::memory_order_relaxed), 1);
}

bool SamplingBudget::Exhausted(int64_t now_ns) const { return percent_ <= 0 && !Allows(now_ns); }

std::string SamplingBudget::Text() const {
  char text[64];
  std::snprintf(text, sizeof(text), "%g s + %g %%", seconds_ / ranks(), percent_ / ranks());
  return text;
}

}  // namespace prof::cupti
