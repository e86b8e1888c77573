// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/duty_cycle.h"

#include <algorithm>

namespace prof::capture {
namespace {

constexpr double kDutyPeriodNs = 1e9;   // a window is its part of it
constexpr double kLeastPercent = 0.01;  // a window of 20 ms in some minutes

}  // namespace

DutyCycle::DutyCycle(double percent, int64_t start_ns, uint64_t seed)
    : percent_(std::max(percent, kLeastPercent)),
      window_ns_(
          std::clamp(static_cast<int64_t>(percent / 100 * kDutyPeriodNs), kShortestNs, kLongestNs)),
      random_(static_cast<std::minstd_rand::result_type>(seed % std::minstd_rand::modulus)),
      end_ns_(start_ns) {}

int64_t DutyCycle::DrawRest(int64_t window_ns) {
  const double mean_ns = static_cast<double>(window_ns) * (100 - percent_) / percent_;
  return static_cast<int64_t>(std::uniform_real_distribution<double>(0, 2 * mean_ns)(random_));
}

void DutyCycle::Reached(bool traces, int64_t now_ns) {
  if (traces == traces_) return;
  traces_ = traces;
  if (traces) {
    begin_ns_ = now_ns;
    end_ns_ = now_ns + window_ns_;
  } else {
    // What was traced at the start is no window.
    begin_ns_ = now_ns + DrawRest(started_ ? now_ns - begin_ns_ : window_ns_);
    started_ = true;
  }
}

}  // namespace prof::capture
