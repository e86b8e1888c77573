// SPDX-License-Identifier: Apache-2.0
//
// This program moves particles, and smooths a grid beside them. CMake builds it twice: with an
// array for each field of a particle, and with one array of structs (PARTICLES_AS_STRUCTS).
//
//   particles --seed N [--steps N | --seconds S]
#include <random>
#include <string>

#include "bench/programs/device_array.h"
#include "bench/programs/regressions/timed_steps.h"

namespace {

constexpr int kFields = 8, kThreads = 256, kGrid = 1 << 25;
constexpr float kTime = 1e-3f;

enum Field { kX, kY, kZ, kVelocityX, kVelocityY, kVelocityZ, kMass, kCharge };

struct Particles {
  float* values;
  int count;
  __device__ float& At(Field field, int i) const {
#ifdef PARTICLES_AS_STRUCTS
    return values[static_cast<size_t>(i) * kFields + field];
#else
    return values[static_cast<size_t>(field) * count + i];
#endif
  }
};

// Each field of each particle has the same value in both layouts.
__global__ void scatter(Particles particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles.count) return;
  for (int field = 0; field < kFields; ++field) {
    particles.At(static_cast<Field>(field), i) =
        RandomValue<float>::At(static_cast<size_t>(i) * kFields + field);
  }
}

__global__ void drift(Particles particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles.count) return;
  particles.At(kX, i) += kTime * particles.At(kVelocityX, i);
  particles.At(kY, i) += kTime * particles.At(kVelocityY, i);
  particles.At(kZ, i) += kTime * particles.At(kVelocityZ, i);
}

__global__ void smooth(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i + 1 >= kGrid) return;
  out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

int BlocksFor(int count) { return (count + kThreads - 1) / kThreads; }

}  // namespace

int main(int argc, char** argv) {
  const StepOptions options = ParseSteps(argc, argv, 1);
  if (!HasDevice()) return 0;
  std::mt19937_64 random(options.seed);
  const int count =
      (1 << 20) * static_cast<int>(12 + random() % 13) + static_cast<int>(random() % 999);
  const size_t floats = static_cast<size_t>(count) * kFields;
  const DeviceArray<float> values(floats), in(kGrid), out(kGrid);
  const Particles particles{values.get(), count};
  scatter<<<BlocksFor(count), kThreads>>>(particles);
  TimedSteps timed;
  timed.Run(
      options.limit,
      [&] {
        timed.Time("drift", [&] { drift<<<BlocksFor(count), kThreads>>>(particles); });
        timed.Time("smooth", [&] { smooth<<<BlocksFor(kGrid), kThreads>>>(in.get(), out.get()); });
      },
      [&] { return AbsoluteSum(values.get(), floats); },
      "{\"particles\": " + std::to_string(count) + "}");
  return 0;
}
