// SPDX-License-Identifier: Apache-2.0
#include "bench/programs/regressions/timed_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

constexpr int kWarmUpSteps = 3, kStepsPerWait = 20;

float MedianOf(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

TimedSteps::Pair TimedSteps::Begin() {
  Pair events;
  if (free_.empty()) {
    CUDA_CHECK(cudaEventCreate(&events.start));
    CUDA_CHECK(cudaEventCreate(&events.end));
  } else {
    events = free_.back();
    free_.pop_back();
  }
  CUDA_CHECK(cudaEventRecord(events.start));
  return events;
}

void TimedSteps::End(const std::string& part, const Pair& events) {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(events.end));
  open_.push_back({part, events});
}

void TimedSteps::Read() {
  for (const Open& open : open_) {
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, open.events.start, open.events.end));
    us_[open.part].push_back(1000 * ms);
    free_.push_back(open.events);
  }
  open_.clear();
}

void TimedSteps::Print() const {
  std::string parts;
  for (const auto& [part, us] : us_) {
    char text[128];
    std::snprintf(text, sizeof(text), "%s\"%s\": {\"us\": %.3f, \"n\": %zu}",
                  parts.empty() ? "" : ", ", part.c_str(), MedianOf(us), us.size());
    parts += text;
  }
  std::printf("[parts] {%s}\n", parts.c_str());
}

void TimedSteps::Run(const StepLimit& limit, const std::function<void()>& step,
                     const std::function<double()>& sum, const std::string& parameters) {
  for (int i = 0; i < kWarmUpSteps; ++i) step();
  CUDA_CHECK(cudaDeviceSynchronize());
  std::printf("[sum] %.6e\n", sum());
  Read();
  us_.clear();
  StepClock clock(limit);
  while (clock.GoesOn()) {
    const int64_t steps = clock.StepsUntilWait(kStepsPerWait);
    for (int64_t i = 0; i < steps; ++i) step();
    CUDA_CHECK(cudaDeviceSynchronize());
    clock.Waited(steps);
    Read();
  }
  Print();
  clock.Print(parameters);
}

double AbsoluteSum(const float* values, size_t count) {
  std::vector<float> host(count);
  CUDA_CHECK(cudaMemcpy(host.data(), values, count * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float value : host) sum += std::abs(static_cast<double>(value));
  return sum;
}
