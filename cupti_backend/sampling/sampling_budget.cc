// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/sampling_budget.h"

#include <cstdio>

namespace prof::cupti {

SamplingBudget::SamplingBudget(const SessionOptions& options, int64_t start_ns)
    : seconds_(options.counter_budget_seconds),
      percent_(options.counter_budget_percent),
      unlimited_(options.replay == Replay::kKernel),
      start_ns_(start_ns) {}

bool SamplingBudget::Allows(int64_t now_ns) const {
  if (unlimited_) return true;
  const double allowed_ns =
      seconds_ * 1e9 + percent_ / 100.0 * static_cast<double>(now_ns - start_ns_);
  const bool within = static_cast<double>(cost_ns_.load(std::memory_order_relaxed)) <= allowed_ns;
  if (!within) used_up_.store(true, std::memory_order_relaxed);
  return within;
}

bool SamplingBudget::Exhausted(int64_t now_ns) const { return percent_ <= 0 && !Allows(now_ns); }

std::string SamplingBudget::Text() const {
  char text[64];
  std::snprintf(text, sizeof(text), "%g s + %g %%", seconds_, percent_);
  return text;
}

}  // namespace prof::cupti
