// SPDX-License-Identifier: Apache-2.0
//
// This program multiplies matrices of floats with a register-tiled kernel, and unpacks the next
// weights beside it. CMake builds it twice: with and without a limit of registers.
//
//   matrix --seed N [--steps N | --seconds S]
#include <random>
#include <string>

#include "bench/programs/device_array.h"
#include "bench/programs/regressions/timed_steps.h"

namespace {

constexpr int kTile = 128, kDepth = 8, kThreads = 256, kHalf = 4;
constexpr int kPacked = 1 << 25;  // more than L2 holds

// C = A * B. A block makes a tile of 128 x 128, a thread 8 x 8 of it: two halves of 4 rows times
// two halves of 4 columns, which lie 64 apart.
__global__ void multiply(const float* a, const float* b, float* c, int columns, int depth) {
  __shared__ float a_tile[kDepth][kTile];
  __shared__ float b_tile[kDepth][kTile];
  const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
  const int a_row = thread / 2, a_depth = thread % 2 * 4;
  const int b_depth = thread / 32, b_column = thread % 32 * 4;
  const float* const a_from = a + (blockIdx.y * kTile + a_row) * depth + a_depth;
  const float* const b_from = b + b_depth * columns + blockIdx.x * kTile + b_column;
  float sums[2 * kHalf][2 * kHalf] = {};
  for (int start = 0; start < depth; start += kDepth) {
    const float4 of_a = *reinterpret_cast<const float4*>(a_from + start);
    const float4 of_b = *reinterpret_cast<const float4*>(b_from + start * columns);
    a_tile[a_depth][a_row] = of_a.x;
    a_tile[a_depth + 1][a_row] = of_a.y;
    a_tile[a_depth + 2][a_row] = of_a.z;
    a_tile[a_depth + 3][a_row] = of_a.w;
    *reinterpret_cast<float4*>(&b_tile[b_depth][b_column]) = of_b;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float left[2 * kHalf], right[2 * kHalf];
#pragma unroll
      for (int i = 0; i < kHalf; ++i) {
        left[i] = a_tile[k][y * kHalf + i];
        left[kHalf + i] = a_tile[k][kTile / 2 + y * kHalf + i];
        right[i] = b_tile[k][x * kHalf + i];
        right[kHalf + i] = b_tile[k][kTile / 2 + x * kHalf + i];
      }
#pragma unroll
      for (int i = 0; i < 2 * kHalf; ++i) {
#pragma unroll
        for (int j = 0; j < 2 * kHalf; ++j) sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2 * kHalf; ++i) {
    const int row = blockIdx.y * kTile + i / kHalf * (kTile / 2) + y * kHalf + i % kHalf;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int column = blockIdx.x * kTile + j * (kTile / 2) + x * kHalf;
      *reinterpret_cast<float4*>(c + row * columns + column) =
          make_float4(sums[i][kHalf * j], sums[i][kHalf * j + 1], sums[i][kHalf * j + 2],
                      sums[i][kHalf * j + 3]);
    }
  }
}

struct RandomByte {
  static __device__ signed char At(size_t i) {
    return static_cast<signed char>(RandomValue<float>::At(i) * 255);
  }
};

__global__ void unpack(const signed char* packed, float scale, float* weights) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kPacked; i += stride) {
    weights[i] = scale * static_cast<float>(packed[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const StepOptions options = ParseSteps(argc, argv, 1);
  if (!HasDevice()) return 0;
  std::mt19937_64 random(options.seed);
  const auto draw = [&random] { return kTile * static_cast<int>(14 + random() % 7); };
  const int rows = draw(), columns = draw(), depth = draw();
  const DeviceArray<float> a(rows * depth), b(depth * columns), c(rows * columns);
  const DeviceArray<signed char, RandomByte> packed(kPacked);
  const DeviceArray<float> weights(kPacked);
  TimedSteps timed;
  timed.Run(
      options.limit,
      [&] {
        timed.Time("multiply", [&] {
          multiply<<<dim3(columns / kTile, rows / kTile), kThreads>>>(a.get(), b.get(), c.get(),
                                                                      columns, depth);
        });
        timed.Time("unpack", [&] { unpack<<<1056, 256>>>(packed.get(), 0.01f, weights.get()); });
      },
      [&] { return AbsoluteSum(c.get(), static_cast<size_t>(rows) * columns); },
      "{\"rows\": " + std::to_string(rows) + ", \"columns\": " + std::to_string(columns) +
          ", \"depth\": " + std::to_string(depth) + "}");
  return 0;
}
