// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/dump_trigger.h"

#include <algorithm>
#include <cstdio>

namespace prof::capture {
namespace {

std::string Milliseconds(int64_t duration_ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g ms", static_cast<double>(duration_ns) / 1e6);
  return text;
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

std::string Took(std::string_view name, int64_t duration_ns) {
  const std::string step = name.empty() ? "a step" : "step '" + std::string(name) + "'";
  return step + " took " + Milliseconds(duration_ns);
}

}  // namespace

DumpTrigger::DumpTrigger(const SessionOptions& options)
    : slow_times_(options.dump_slow_step),
      idle_percent_(options.dump_idle_percent),
      long_ns_(static_cast<int64_t>(options.dump_long_step_ms * 1e6)),
      pause_ns_(int64_t{options.keep_last_seconds} * 1'000'000'000) {}

int64_t DumpTrigger::Median() const {
  std::vector<int64_t> steps = last_steps_;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

// The median is that of the steps before.
std::string DumpTrigger::OnStep(std::string_view name, int64_t duration_ns) {
  std::string why;
  if (long_ns_ > 0 && duration_ns > long_ns_) {
    why = Took(name, duration_ns) + ", longer than " + Milliseconds(long_ns_);
  }
  if (slow_times_ <= 0) return why;
  if (why.empty() && last_steps_.size() >= kFewestSteps) {
    const int64_t median_ns = Median();
    if (static_cast<double>(duration_ns) > slow_times_ * static_cast<double>(median_ns)) {
      why = Took(name, duration_ns) + ", more than " + Number(slow_times_) +
            " times the median of " + std::to_string(last_steps_.size()) + " steps before it, " +
            Milliseconds(median_ns);
    }
  }
  if (last_steps_.size() < kMedianSteps) {
    last_steps_.push_back(duration_ns);
  } else {
    last_steps_[next_step_] = duration_ns;
    next_step_ = (next_step_ + 1) % kMedianSteps;
  }
  return why;
}

std::string DumpTrigger::OnIdle(double percent) const {
  if (!watches_idle() || percent <= idle_percent_) return "";
  return "every GPU was idle for at least " + Number(percent) + " % of a second, more than " +
         Number(idle_percent_) + " %";
}

bool DumpTrigger::Take(int64_t now_ns) {
  const bool too_soon = dumps_ > 0 && now_ns - last_dump_ns_ < pause_ns_;
  if (too_soon || dumps_ >= kMostDumps) {
    ++held_back_;
    return false;
  }
  ++dumps_;
  last_dump_ns_ = now_ns;
  return true;
}

}  // namespace prof::capture
