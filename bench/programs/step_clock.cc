// SPDX-License-Identifier: Apache-2.0
#include "step_clock.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

StepOptions ParseSteps(int argc, char** argv, int first) {
  StepOptions options;
  for (int i = first; i < argc; i += 2) {
    const char* const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (value != nullptr && std::strcmp(argv[i], "--seed") == 0) {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (value != nullptr && std::strcmp(argv[i], "--steps") == 0) {
      options.limit.steps = std::atoll(value);
    } else if (value != nullptr && std::strcmp(argv[i], "--seconds") == 0) {
      options.limit.seconds = std::atof(value);
    } else {
      std::fprintf(stderr, "usage: %s ... --seed N [--steps N | --seconds S]\n", argv[0]);
      std::exit(2);
    }
  }
  return options;
}

double StepClock::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool StepClock::GoesOn() const {
  return limit_.steps > 0 ? steps_ < limit_.steps : Seconds() < limit_.seconds;
}

int64_t StepClock::StepsUntilWait(int64_t most) const {
  return limit_.steps > 0 ? std::min(most, limit_.steps - steps_) : most;
}

void StepClock::Waited(int64_t steps) {
  const double now_s = Seconds();
  batches_.push_back({now_s, (now_s - last_s_) * 1e6 / static_cast<double>(steps)});
  last_s_ = now_s;
  steps_ += steps;
}

std::vector<double> StepClock::MedianOfEachSecond() const {
  std::vector<std::vector<double>> seconds;
  for (const Batch& batch : batches_) {
    const auto second = static_cast<size_t>(batch.end_s);
    if (seconds.size() <= second) seconds.resize(second + 1);
    seconds[second].push_back(batch.us_per_step);
  }
  std::vector<double> medians;
  for (std::vector<double>& second : seconds) {
    if (second.empty()) continue;  // one batch was longer than it
    const auto middle = second.begin() + static_cast<std::ptrdiff_t>(second.size() / 2);
    std::nth_element(second.begin(), middle, second.end());
    medians.push_back(*middle);
  }
  return medians;
}

void StepClock::Print(const std::string& parameters) const {
  std::string seconds;
  for (const double median : MedianOfEachSecond()) {
    char text[32];
    std::snprintf(text, sizeof(text), "%s%.2f", seconds.empty() ? "" : ", ", median);
    seconds += text;
  }
  std::printf(
      "[steps] {\"steps\": %lld, \"loop_s\": %.4f, \"us_of_seconds\": [%s], "
      "\"parameters\": %s}\n",
      static_cast<long long>(steps_), last_s_, seconds.c_str(), parameters.c_str());
}
