// SPDX-License-Identifier: Apache-2.0
//
// Kernels with instructions of each kind that prof counts, for all architectures. make.py compiles
// them, and writes what NVIDIA's disassembler finds in them.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

namespace {

typedef float (*Function)(float, float*);
__device__ Function functions[2];

// A loop calls it: its reduction is in the loop, too.
__device__ __noinline__ float AddTo(float value, float* sum) {
  atomicAdd(sum, value);
  return value * sum[1];
}

}  // namespace

extern "C" {

__global__ void reductions(float* sums, int n) {
  for (int i = 0; i < n; ++i) atomicAdd(sums + i, 1.f);
}

__global__ void returned_atomics(unsigned long long* values, double* sum, int n) {
  for (int i = 0; i < n; ++i) {
    values[n + i] = atomicCAS(values + i, 1ull, 2ull) + atomicExch(values + i, 7ull);
    atomicAdd(sum, 1.0);
  }
}

__global__ void shared_atomics(int* out, int n) {
  __shared__ int bins[64];
  bins[threadIdx.x & 63] = 0;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    atomicAdd(&bins[i & 63], 1);
    out[i] = atomicCAS(&bins[i & 63], 1, 3) + atomicMax(&bins[1], i);
  }
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x & 63];
}

__global__ void local_array(float* out, int n, int k) {
  float values[32];
  for (int i = 0; i < 32; ++i) values[i] = out[i];
  for (int i = 0; i < n; ++i) values[(i * k) & 31] += values[(i * k + 1) & 31];
  for (int i = 0; i < 32; ++i) out[i] = values[i];
}

__global__ void generic_address(int** pointers) {
  __shared__ int here[32];
  int* const either = (threadIdx.x & 1) != 0 ? here : pointers[0];
  atomicAdd(either, 1);
  pointers[1][0] = atomicCAS(either, 1, 2);
  *either = 5;
  pointers[2][0] = *either;
}

__global__ void one_pass(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 2;
}

// The slow path of a shuffle stands behind the end, and comes back from there: no loop.
__global__ void warp_sums(const float* in, float* sums, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if ((threadIdx.x & 31) == 0) atomicAdd(sums, sum);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void nested_loops(float* out, int n, int m) {
  for (int i = 0; i < n; ++i) {
    float sum = out[i];
    for (int j = 0; j < m; ++j) sum += out[j * n + i];
    out[i] = sum;
  }
}

__global__ void double_precision(double* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = out[i] / out[i + 1] + 3 * out[i + 2];
}

__global__ void special_functions(float* out, int n) {
  float sum = out[0];
  for (int i = 0; i < n; ++i) sum = __sinf(sum) + __expf(sum) + rsqrtf(sum);
  out[0] = sum;
}

__global__ void calls(float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = AddTo(out[i], out + 1);
}

__global__ void calls_by_pointer(float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = functions[i & 1](out[i], out + 1);
}

__global__ void warp_matrices(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  __shared__ __half tile[256];
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.f);
  for (int i = 0; i < n; ++i) {
    tile[threadIdx.x] = a[i * 32 + threadIdx.x];
    __syncwarp();
    load_matrix_sync(left, tile, 16);
    load_matrix_sync(right, b + i * 256, 16);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(c, sum, 16, mem_row_major);
}

#if __CUDA_ARCH__ >= 800
__global__ void async_copies(const float4* in, float* out, int n) {
  __shared__ float4 here[32];
  const auto to = static_cast<uint32_t>(__cvta_generic_to_shared(here + threadIdx.x));
  for (int i = 0; i < n; ++i) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + i * 32));
    asm volatile("cp.async.wait_all;");
    out[i] = here[(threadIdx.x + i) & 31].x;
  }
}

__global__ void double_matrices(double* out) {
  double sum[2] = {0, 0};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%2},{%0,%1};"
               : "+d"(sum[0]), "+d"(sum[1])
               : "d"(out[0]));
  out[threadIdx.x] = sum[0] + sum[1];
}

__global__ void small_matrices(uint32_t* out) {
  int sum[4] = {0, 0, 0, 0};
  const uint32_t a = out[0], b = out[1];
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},"
      "{%0,%1,%2,%3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a), "r"(b));
#if __CUDA_ARCH__ >= 890
  float real[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},"
      "{%0,%1,%2,%3};"
      : "+f"(real[0]), "+f"(real[1]), "+f"(real[2]), "+f"(real[3])
      : "r"(a), "r"(b));
  sum[0] += static_cast<int>(real[0] + real[1] + real[2] + real[3]);
#endif
  out[threadIdx.x] = static_cast<uint32_t>(sum[0] + sum[1] + sum[2] + sum[3]);
}
#endif

#if __CUDA_ARCH__ >= 900
__global__ void bulk_copies(uint64_t tensor, float* memory) {
  extern __shared__ float here[];
  __shared__ uint64_t barrier;
  const auto to = static_cast<uint32_t>(__cvta_generic_to_shared(here));
  const auto done = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(done));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],1024,[%2];" ::
          "r"(to),
      "l"(memory), "r"(done));
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%1],[%0],1024;" ::"r"(to),
               "l"(memory));
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%1],[%0],1024;" ::"r"(to),
      "l"(memory));
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0],[%1,{0,0}],[%2];" ::"r"(to),
      "l"(tensor), "r"(done));
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1,{0,0}],[%0];" ::"r"(to),
               "l"(tensor));
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%1,{0,0}],[%0];" ::"r"(to),
      "l"(tensor));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};" ::"r"(to), "r"(7));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%1,[%2];" ::"r"(to),
               "r"(5), "r"(done));
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
      "[%0],%1,[%2];" ::"r"(to),
      "r"(5), "r"(done));
}
#endif

#if defined(PROF_WGMMA)  // sm_90a alone
__global__ void group_matrices(float* out, uint64_t left, uint64_t right, int n) {
  float d[4] = {0, 0, 0, 0};
  int e[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1,1,1,0,0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(left), "l"(right));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, 1,1,1;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(left), "l"(right));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, 1;"
                 : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
                 : "l"(left), "l"(right));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + static_cast<float>(e[0] + e[1] + e[2] + e[3]);
}
#endif

#if defined(PROF_TCGEN05)  // sm_100a alone
__global__ void tensor_memory_matrices(uint64_t left, uint64_t right, uint32_t shape,
                                       uint32_t sum) {
#define PROF_MULTIPLY(kind)                                                              \
  asm volatile("{.reg .pred p; setp.ne.b32 p,%4,0; tcgen05.mma.cta_group::1.kind::" kind \
               " [%0],%1,%2,%3,p;}" ::"r"(sum),                                          \
               "l"(left), "l"(right), "r"(shape), "r"(1))
  PROF_MULTIPLY("f16");
  PROF_MULTIPLY("tf32");
  PROF_MULTIPLY("f8f6f4");
  PROF_MULTIPLY("i8");
}
#endif

}  // extern "C"
