// SPDX-License-Identifier: Apache-2.0
//
// This program prices call options by the formula of Black and Scholes, for several volatilities
// each, and sums up the prices. CMake builds it twice: with and without --use_fast_math.
//
//   options --seed N [--steps N | --seconds S]
#include <random>
#include <string>

#include "bench/programs/device_array.h"
#include "bench/programs/regressions/timed_steps.h"

namespace {

constexpr int kThreads = 256;
constexpr float kRate = 0.03f;

// The normal distribution: formula 26.2.17 of Abramowitz and Stegun.
__device__ float Normal(float x) {
  const float t = 1 / (1 + 0.2316419f * fabsf(x));
  const float tail =
      0.39894228f * expf(-0.5f * x * x) * t *
      (0.31938153f +
       t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  return x > 0 ? 1 - tail : tail;
}

// The mean price of each option over volatilities from 10 % to 60 %.
__global__ void price(const float* spots, const float* strikes, const float* years, float* prices,
                      int count, int volatilities) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float spot = 60 + spots[i] * 40, strike = 60 + strikes[i] * 40, time = 2 + years[i] * 3;
  float sum = 0;
  for (int j = 0; j < volatilities; ++j) {
    const float volatility = 0.1f + 0.5f * static_cast<float>(j) / static_cast<float>(volatilities);
    const float spread = volatility * sqrtf(time);
    const float d1 =
        (logf(spot / strike) + (kRate + 0.5f * volatility * volatility) * time) / spread;
    sum += spot * Normal(d1) - strike * expf(-kRate * time) * Normal(d1 - spread);
  }
  prices[i] = sum / static_cast<float>(volatilities);
}

__global__ void sum_up(const float* prices, int count, float* total) {
  float mine = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) mine += prices[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_down_sync(~0u, mine, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}

}  // namespace

int main(int argc, char** argv) {
  const StepOptions options = ParseSteps(argc, argv, 1);
  if (!HasDevice()) return 0;
  std::mt19937_64 random(options.seed);
  const int count = (1 << 20) * static_cast<int>(4 + random() % 5);
  const int volatilities = 16 + static_cast<int>(random() % 17);
  // Other starts of one sequence: the three do not go along with each other.
  const DeviceArray<float> inputs(3 * static_cast<size_t>(count)), prices(count), total(1);
  TimedSteps timed;
  timed.Run(
      options.limit,
      [&] {
        timed.Time("price", [&] {
          price<<<(count + kThreads - 1) / kThreads, kThreads>>>(
              inputs.get(), inputs.get() + count, inputs.get() + 2 * static_cast<size_t>(count),
              prices.get(), count, volatilities);
        });
        timed.Time("sum_up", [&] { sum_up<<<528, kThreads>>>(prices.get(), count, total.get()); });
      },
      [&] { return AbsoluteSum(prices.get(), count); },
      "{\"options\": " + std::to_string(count) +
          ", \"volatilities\": " + std::to_string(volatilities) + "}");
  return 0;
}
