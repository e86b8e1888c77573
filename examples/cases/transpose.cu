// SPDX-License-Identifier: Apache-2.0
//
// A matrix is transposed again and again. Each warp writes 32 elements of one column, which are in
// 32 different rows. With --fixed the blocks turn tiles in shared memory, and write rows, too.
//
// Run:  prof run -o transpose.prof -- transpose
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(call)                                                 \
  do {                                                                   \
    const cudaError_t error = (call);                                    \
    if (error != cudaSuccess) {                                          \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error));                           \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

constexpr int kSide = 8192, kTile = 32, kRows = 8, kSteps = 4000;

__global__ void transpose(const float* in, float* out) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) out[x * kSide + y + i] = in[(y + i) * kSide + x];
}

__global__ void transpose_tiles(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + 1];  // one more: a column is in 32 banks
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    tile[i][threadIdx.x] = in[(y + i) * kSide + x + threadIdx.x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    out[(x + i) * kSide + y + threadIdx.x] = tile[threadIdx.x][i];
  }
}

bool IsTransposed(const float* in, const float* out) {
  const size_t count = size_t{kSide} * kSide;
  std::vector<float> before(count), after(count);
  CUDA_CHECK(cudaMemcpy(before.data(), in, count * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(after.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < count; i += 4099) {
    if (after[(i % kSide) * kSide + i / kSide] != before[i]) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  const bool fixed = argc > 1 && std::strcmp(argv[1], "--fixed") == 0;
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }
  const size_t count = size_t{kSide} * kSide;
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i % 65521);
  float *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, count * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(in, numbers.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 grid(kSide / kTile, kSide / kTile), block(kTile, kRows);
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < kSteps; ++step) {
    if (fixed) {
      transpose_tiles<<<grid, block>>>(in, out);
    } else {
      transpose<<<grid, block>>>(in, out);
    }
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
  std::printf("[checksum] %d\n", IsTransposed(in, out));
  std::printf("[timing] steps %d us_per_step %.2f\n", kSteps, passed.count() / kSteps);
  return 0;
}
