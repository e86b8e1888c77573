// SPDX-License-Identifier: Apache-2.0
//
// mma.sync, the tensor instruction of a warp, by type.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"
#include "bench/zoo/wgmma.h"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr int kTiles = 4;  // accumulators of a warp, independent of each other
constexpr int kUnit = 4;   // so that four blocks can do the rounds of three

// In groups of kTiles matrix instructions, of kChains FP32 instructions, and of ldmatrix.
struct Work {
  int rounds, mmas, fmas, loads;
};

struct Half {
  using Sum = float;
  static __device__ __forceinline__ void Multiply(Sum (&d)[4], uint32_t a, uint32_t b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
        "{%5, %5}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a), "r"(b));
  }
};
struct Bfloat {
  using Sum = float;
  static __device__ __forceinline__ void Multiply(Sum (&d)[4], uint32_t a, uint32_t b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
        "{%5, %5}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a), "r"(b));
  }
};
struct Tf32 {
  using Sum = float;
  static __device__ __forceinline__ void Multiply(Sum (&d)[4], uint32_t a, uint32_t b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
        "{%5, %5}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a), "r"(b));
  }
};
struct Int8 {
  using Sum = int;
  static __device__ __forceinline__ void Multiply(Sum (&d)[4], uint32_t a, uint32_t b) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
        "{%5, %5}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a), "r"(b));
  }
};
struct Double {
  using Sum = double;
  static __device__ __forceinline__ void Multiply(Sum (&d)[4], uint32_t a, uint32_t b) {
    const double left = a * 1e-9, right = b * 1e-9;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(left), "d"(right));
  }
};

enum class Way {
  kNatural,
  kPackedFmas,  // two 16-bit values for each instruction
  kHeldLoads,   // what ldmatrix reads is the same in each round: it is used kUnit times
};

template <typename Type, Way kWay = Way::kNatural>
__device__ __forceinline__ void RunMma(const Work& work, uint32_t left, uint32_t right,
                                       uint32_t* sink) {
  __shared__ uint4 tile[256];
  tile[threadIdx.x] = make_uint4(left, left, right, right);
  __syncthreads();
  const uint32_t at = zoo::SharedAddress(tile) + 16 * (threadIdx.x % 32);
  typename Type::Sum sums[kTiles][4] = {};
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  uint32_t keep = 0, pair[zoo::kPairs];
  if constexpr (kWay == Way::kPackedFmas) zoo::StartPairs(pair);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 4
    for (int i = 0; i < work.mmas; ++i) {
#pragma unroll
      for (auto& sum : sums) Type::Multiply(sum, left, right);
    }
    for (int i = 0; i < work.fmas; ++i) {
      if constexpr (kWay == Way::kPackedFmas) {
        zoo::FmaPairs(pair);
      } else {
        zoo::Fma(chain);
      }
    }
#pragma unroll 4
    for (int i = 0; i < work.loads; ++i) {
      uint32_t a, b, c, d;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(at + 512 * (i & 7)));
#pragma unroll
      for (int use = 0; use < (kWay == Way::kHeldLoads ? kUnit : 1); ++use) {
        zoo::Use(make_uint4(a, b, c, d), &keep);
      }
    }
  }
  typename Type::Sum all = 0;
#pragma unroll
  for (const auto& sum : sums) all += sum[0] + sum[1] + sum[2] + sum[3];
  if (all == static_cast<typename Type::Sum>(-77)) *sink = 1;
  if constexpr (kWay == Way::kPackedFmas) keep ^= zoo::Bits(pair);
  zoo::Keep(chain, keep, sink);
}

using Kernel = void (*)(Work, uint32_t, uint32_t, uint32_t*);

struct Tensor {
  const char *id, *name;
  Kernel kernel;
  Work work;
  uint32_t value;
  zoo::WgmmaType wgmma;  // the same operations by wgmma are the fix
};

}  // namespace

#define MMA_KERNEL(name, type)                                                  \
  extern "C" __global__ void __launch_bounds__(kThreads, 4)                     \
      KERNEL(name)(Work work, uint32_t left, uint32_t right, uint32_t * sink) { \
    RunMma<type>(work, left, right, sink);                                      \
  }

MMA_KERNEL(mma_half, Half)
MMA_KERNEL(mma_bfloat, Bfloat)
MMA_KERNEL(mma_tf, Tf32)
MMA_KERNEL(mma_int, Int8)
MMA_KERNEL(mma_double, Double)
MMA_KERNEL(mma_and_loads, Half)
MMA_KERNEL(mma_and_fma, Half)

namespace {

template <Way kWay>
__global__ void __launch_bounds__(kThreads, 4)
    OtherMma(Work work, uint32_t left, uint32_t right, uint32_t* sink) {
  RunMma<Half, kWay>(work, left, right, sink);
}

zoo::Family Make(const Tensor& tensor, const zoo::Setting& setting) {
  setting.draws->Begin(tensor.name);
  Work work = tensor.work;
  work.rounds = setting.draws->Near(work.rounds, kUnit);
  const int sms = setting.sms;
  const Kernel kernel = tensor.kernel;
  const uint32_t value = tensor.value;
  const auto run = [=](const Work& its, int blocks) {
    kernel<<<sms * blocks, kThreads>>>(its, value, value, zoo::Sink());
  };
  zoo::Family family{tensor.id, tensor.name, {{"tensor", work.mmas, work.mmas / 4}}, {}, {}};
  if (work.fmas > 0) family.knobs.push_back({"fma", work.fmas, work.fmas / 4});
  if (work.loads > 0) family.knobs.push_back({"shared", work.loads, work.loads / 4});
  family.knobs.push_back({"parallel", 3, 1});
  family.launch = [=](const zoo::Amounts& a) {
    Work its = work;
    size_t at = 0;
    its.mmas = a[at++];
    if (work.fmas > 0) its.fmas = a[at++];
    if (work.loads > 0) its.loads = a[at++];
    run(its, a[at]);
  };
  Work more = work;
  more.rounds = work.rounds / 4 * 3;
  family.variants.push_back({"decoy", "raise-occupancy", [=] { run(more, 4); }});
  family.least_major = 8;
  if (tensor.wgmma != zoo::WgmmaType::kNone && setting.wgmma) {
    family.variants.push_back({"fix", "use-wgmma", [=, type = tensor.wgmma] {
                                 zoo::RunWgmma(type, sms * 3, work.rounds, work.mmas / 2,
                                               2 * work.fmas);
                               }});
  }
  const auto by = [=](Kernel other, const Work& its) {
    return [=] { other<<<sms * 3, kThreads>>>(its, value, value, zoo::Sink()); };
  };
  if (work.loads > 0) {
    const Work held{work.rounds / kUnit, work.mmas * kUnit, 0, work.loads};
    family.variants.push_back(
        {"fix", "fewer-shared-accesses", by(OtherMma<Way::kHeldLoads>, held)});
  }
  if (work.fmas >= work.mmas) {
    family.variants.push_back(
        {"fix", "fewer-fma", by(OtherMma<Way::kPackedFmas>, work), {"fewer-instructions"}});
  }
  return family;
}

}  // namespace

namespace zoo {

std::vector<Family> TensorFamilies(const Setting& setting) {
  constexpr uint32_t kHalf = 0x2c002c00, kBfloat = 0x3d803d80, kTf = 0x3d800000, kInt = 0x01010101;
  const WgmmaType none = WgmmaType::kNone;
  const Tensor kinds[] = {
      {NAMES(mma_half), KERNEL(mma_half), {30, 32, 4, 0}, kHalf, WgmmaType::kHalf},
      {NAMES(mma_bfloat), KERNEL(mma_bfloat), {30, 32, 4, 0}, kBfloat, WgmmaType::kBfloat},
      {NAMES(mma_tf), KERNEL(mma_tf), {30, 32, 4, 0}, kTf, WgmmaType::kTf32},
      {NAMES(mma_int), KERNEL(mma_int), {30, 32, 4, 0}, kInt, WgmmaType::kInt8},
      {NAMES(mma_double), KERNEL(mma_double), {30, 16, 4, 0}, 1000, none},
      {NAMES(mma_and_loads), KERNEL(mma_and_loads), {20, 16, 0, 128}, kHalf, none},
      {NAMES(mma_and_fma), KERNEL(mma_and_fma), {20, 16, 128, 0}, kHalf, none},
  };
  std::vector<Family> families;
  for (const Tensor& tensor : kinds) families.push_back(Make(tensor, setting));
  return families;
}

}  // namespace zoo
