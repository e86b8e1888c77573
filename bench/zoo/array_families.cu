// SPDX-License-Identifier: Apache-2.0
//
// Everyday kernels on arrays: reduction, scan, histogram, sorting, elementwise.
#include <cmath>

#include "bench/zoo/array_variants.cuh"
#include "bench/zoo/extra.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/warps_knob.h"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Extra;
using zoo::ExtraState;
using zoo::kThreads;

constexpr int kBlocks = 4;

const float* Floats() { return reinterpret_cast<const float*>(zoo::In()); }
float* Results() { return reinterpret_cast<float*>(zoo::Out()); }

// The sum of `vectors` float4, one atomic addition for each block.
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(reduction)(unsigned vectors, Extra extra, const float4* in, float* sum, uint32_t* sink) {
  __shared__ __align__(16) float partial[kThreads];
  ExtraState state;
  float mine = 0;
#pragma unroll 4
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    zoo::FarReads<uint4> far;
    far.Start(in, i, extra.dram);
    const float4 value = __ldcg(in + i);
    mine += value.x + value.y + value.z + value.w;
    far.End(extra.dram, &state.keep);
    state.Run(extra, zoo::SharedAddress(partial));
  }
  partial[threadIdx.x] = mine;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
  state.End(sink);
}

// Prefix sums of segments of 256 x 4 floats, by Hillis and Steele in shared memory.
// `kPadded`: a word is free after each 32. There were no bank conflicts.
template <bool kPadded>
__device__ __forceinline__ void RunScan(const Extra& extra, const float4* in, float4* out,
                                        uint32_t* sink) {
  __shared__ __align__(16) float sums[2][kThreads + (kPadded ? kThreads / 32 : 0)];
  const auto slot = [](unsigned i) { return kPadded ? i + i / 32 : i; };
  ExtraState state;
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;
  zoo::FarReads<uint4> far;
  far.Start(in, at, extra.dram);
  float4 value = in[at];
  far.End(extra.dram, &state.keep);
  value.y += value.x;
  value.z += value.y;
  value.w += value.z;
  int side = 0;
  sums[0][slot(threadIdx.x)] = value.w;
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < kThreads; step *= 2) {
    const float other = threadIdx.x >= step ? sums[side][slot(threadIdx.x - step)] : 0;
    sums[1 - side][slot(threadIdx.x)] = sums[side][slot(threadIdx.x)] + other;
    side = 1 - side;
    __syncthreads();
    for (int i = 0; i < extra.barriers; ++i) __syncthreads();
    state.Run(extra, zoo::SharedAddress(sums));
  }
  const float before = sums[side][slot(threadIdx.x)] - value.w;
  out[at] = make_float4(value.x + before, value.y + before, value.z + before, value.w + before);
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 6)
    KERNEL(scan)(Extra extra, const float4* in, float4* out, uint32_t* sink) {
  RunScan<false>(extra, in, out, sink);
}
__global__ void __launch_bounds__(kThreads, 6)
    PaddedScan(const float4* in, float4* out, uint32_t* sink) {
  RunScan<true>({}, in, out, sink);
}

// Counts of the low 8 bits. `shift`: of the bits; 23 gives one bin, the exponent.
// `kPadded`: a word is free after each 32 bins.
template <bool kShared, bool kPadded = false>
__device__ __forceinline__ void Histogram(unsigned vectors, int shift, const Extra& extra,
                                          const uint4* in, uint32_t* bins, uint32_t* sink) {
  __shared__ __align__(16) uint32_t mine[256 + (kPadded ? 8 : 0)];
  const auto slot = [](uint32_t bin) { return kPadded ? bin + bin / 32 : bin; };
  ExtraState state;
  mine[slot(threadIdx.x)] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    zoo::FarReads<uint4> far;
    far.Start(in, i, extra.dram);
    const uint4 value = __ldcg(in + i);
    uint32_t* const counts = kShared ? mine : bins;
    for (const uint32_t word : {value.x, value.y, value.z, value.w}) {
      atomicAdd(counts + slot(word >> shift & 255), 1u);
    }
#pragma unroll
    for (int k = 0; k < zoo::kMostExtra; ++k) {  // of other bits, spread as the others are
      const uint32_t word = k == 0 ? value.x : value.z;
      if (k < extra.atomics) atomicAdd(counts + (word >> (shift == 8 ? 12 : shift) & 255), 1u);
    }
    far.End(extra.dram, &state.keep);
    state.Run(extra, zoo::SharedAddress(mine));
  }
  if constexpr (kShared) {
    __syncthreads();
    atomicAdd(bins + threadIdx.x, mine[slot(threadIdx.x)]);
  }
  state.End(sink);
}

#define HISTOGRAM_KERNEL(name, shared)                                                             \
  extern "C" __global__ void __launch_bounds__(kThreads, 5) KERNEL(name)(                          \
      unsigned vectors, int shift, Extra extra, const uint4* in, uint32_t* bins, uint32_t* sink) { \
    Histogram<shared>(vectors, shift, extra, in, bins, sink);                                      \
  }
HISTOGRAM_KERNEL(histogram_global, false)
HISTOGRAM_KERNEL(histogram_shared, true)
HISTOGRAM_KERNEL(histogram_skewed, true)
__global__ void __launch_bounds__(kThreads, 5)
    PaddedHistogram(unsigned vectors, int shift, Extra, const uint4* in, uint32_t* bins,
                    uint32_t* sink) {
  Histogram<true, true>(vectors, shift, {}, in, bins, sink);
}

// A bitonic sort of 1024 words in shared memory, 512 threads.
template <typename Word>  // in global memory
__device__ __forceinline__ void RunSort(const Extra& extra, const Word* in, Word* out,
                                        uint32_t* sink) {
  __shared__ __align__(16) uint32_t words[1024];
  ExtraState state;
  const size_t base = size_t{1} * blockIdx.x * 1024;
  words[threadIdx.x] = in[base + threadIdx.x];
  words[threadIdx.x + 512] = in[base + threadIdx.x + 512];
#pragma unroll 1
  for (unsigned size = 2; size <= 1024; size *= 2) {
#pragma unroll 1
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const uint32_t x = words[low], y = words[low + stride];
      if ((x > y) == ((low & size) == 0)) {
        words[low] = y;
        words[low + stride] = x;
      }
      state.Run(extra, zoo::SharedAddress(words));
    }
  }
  __syncthreads();
  out[base + threadIdx.x] = words[threadIdx.x];
  out[base + threadIdx.x + 512] = words[threadIdx.x + 512];
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(512, 4)
    KERNEL(bitonic_sort)(Extra extra, const uint32_t* in, uint32_t* out, uint32_t* sink) {
  RunSort(extra, in, out, sink);
}
__global__ void __launch_bounds__(512, 4)
    SortOfShorts(const uint16_t* in, uint16_t* out, uint32_t* sink) {
  RunSort({}, in, out, sink);
}

// x * sigmoid(x) + y of float4: three streams.
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(elementwise)(unsigned vectors, Extra extra, const float4* in, float4* out,
                        uint32_t* sink) {
  ExtraState state;
  const auto apply = [](float x, float y) { return x / (1 + __expf(-x)) + y; };
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    zoo::FarReads<uint4> far;
    far.Start(in, i, extra.dram);
    const float4 x = in[i], y = in[i + vectors];
    out[i] = make_float4(apply(x.x, y.x), apply(x.y, y.y), apply(x.z, y.z), apply(x.w, y.w));
    far.End(extra.dram, &state.keep);
    state.Run(extra, 0);
  }
  state.End(sink);
}

bool Near(double found, double wanted, double error) {
  return std::abs(found - wanted) <= error * std::abs(wanted);
}

}  // namespace

namespace zoo {

std::vector<Family> ArrayFamilies(const Setting& setting) {
  const int sms = setting.sms;
  std::vector<Family> families;
  const Knob fma{"fma", 1, 1, true}, alu{"alu", 1, 1, true}, shared{"shared", 1, 1, true};
  const auto vectors = reinterpret_cast<const float4*>(In());
  float* const total = reinterpret_cast<float*>(Sink() + 48);

  setting.draws->Begin("reduction");
  const unsigned count = setting.draws->Near(1 << 25, 1 << 15);
  const auto reduce = [=](const Extra& extra, int blocks = kBlocks, int parts = kBlocks) {
    KERNEL(reduction)<<<sms * blocks, kThreads>>>(count / kBlocks * parts, extra, vectors, total,
                                                  Sink());
  };
  families.push_back({NAMES(reduction),
                      {fma, alu, {"dram", 1, 1, true}, {"parallel", kBlocks, 1}},
                      [=](const Amounts& a) {
                        reduce({a[0] - 1, a[1] - 1, 0, a[2] - 1}, a[3], a[3]);
                      },
                      {{"fix",
                        "more-loads-in-flight",
                        [=] { ReductionAhead<<<sms * kBlocks, kThreads>>>(count, vectors, total); },
                        {"dram-rate"}},
                       {"decoy", "raise-occupancy", [=] { reduce({}, kBlocks + 1); }}},
                      "",
                      [=] {
                        Clear(total, sizeof(float));
                        reduce({});
                        float found = 0;  // uniform in 1..2: 1.5 on average
                        ReadBack(&found, total, sizeof(found));
                        return Near(found, 1.5 * 4 * count, 0.01);
                      }});

  setting.draws->Begin("scan");
  const int segments = setting.draws->Near(40000, 100);
  const auto scan = [=](const Extra& extra) {
    KERNEL(scan)<<<segments, kThreads, Padding()>>>(extra, vectors,
                                                    reinterpret_cast<float4*>(Out()), Sink());
  };
  families.push_back(
      {NAMES(scan),
       {fma, alu, shared, {"dram", 2, 1, true}, {"barrier", 1, 1, true}},
       [=](const Amounts& a) {
         scan({a[0] - 1, a[1] - 1, a[2] - 1, a[3] - 2, 0, a[4] - 1});
       },
       {{"fix",
         "fewer-instructions",
         [=] { ScanByShuffles<<<segments, kThreads>>>(vectors, reinterpret_cast<float4*>(Out())); },
         {"relieve-both"}},
        {"decoy", "remove-bank-conflicts",
         [=] {
           PaddedScan<<<segments, kThreads>>>(vectors, reinterpret_cast<float4*>(Out()), Sink());
         }}},
       "",
       [=] {
         scan({});
         std::vector<float> in(1024), out(1024);
         ReadBack(in.data(), Floats(), 4096);
         ReadBack(out.data(), Results(), 4096);
         double sum = 0;
         for (const float value : in) sum += value;
         return Near(out[1023], sum, 1e-4) && Near(out[0], in[0], 1e-3);
       }});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(scan)), kThreads, &families.back());

  setting.draws->Begin("histogram");
  // Of vectors: more than L2 holds. Global atomics are so slow that an eighth is enough.
  const unsigned samples = setting.draws->Near(1 << 23, 1 << 12), few = samples / 8;
  const auto count_few = [=](auto kernel, const Extra& extra) {
    kernel<<<sms * kBlocks, kThreads>>>(few, 8, extra, In(), Scratch(), Sink());
  };
  const auto histogram = [=](auto kernel, int shift, const Extra& extra, int blocks = kBlocks,
                             int parts = kBlocks) {
    kernel<<<sms * blocks, kThreads>>>(samples / kBlocks * parts, shift, extra, In(), Scratch(),
                                       Sink());
  };
  const auto count_ahead = [=](int shift) {
    HistogramAhead<true><<<sms * kBlocks, kThreads>>>(samples, shift, In(), Scratch());
  };
  const Knob far{"dram", 1, 1, true}, parallel{"parallel", kBlocks, 1};
  const auto counts_all = [](unsigned all_vectors, const auto& count) {
    Clear(Scratch(), 1024);
    count();
    std::vector<uint32_t> bins(256);
    ReadBack(bins.data(), Scratch(), 1024);
    uint64_t all = 0;
    for (const uint32_t bin : bins) all += bin;
    return all == uint64_t{4} * all_vectors;
  };
  families.push_back(
      {NAMES(histogram_global),
       {fma, shared, {"atomics", 4, 1, true}, far},
       [=](const Amounts& a) {
         count_few(KERNEL(histogram_global), {a[0] - 1, 0, a[1] - 1, a[3] - 1, 0, 0, a[2] - 4});
       },
       {{"fix", "aggregate-atomics", [=] { count_few(KERNEL(histogram_shared), {}); }},
        {"decoy", "more-loads-in-flight",
         [=] { HistogramAhead<false><<<sms * kBlocks, kThreads>>>(few, 8, In(), Scratch()); }}},
       "atomics",
       [=] { return counts_all(few, [=] { count_few(KERNEL(histogram_global), {}); }); }});
  families.push_back(
      {NAMES(histogram_shared),
       {fma, {"shared-atomics", 4, 1, true}, far, parallel},
       [=](const Amounts& a) {
         histogram(KERNEL(histogram_shared), 8, {a[0] - 1, 0, 0, a[2] - 1, 0, 0, a[1] - 4}, a[3],
                   a[3]);
       },
       {{"fix", "more-loads-in-flight", [=] { count_ahead(8); }, {"dram-rate"}},
        {"decoy", "raise-occupancy",
         [=] { histogram(KERNEL(histogram_shared), 8, {}, kBlocks + 1); }}},
       "",
       [=] { return counts_all(samples, [=] { histogram(KERNEL(histogram_shared), 8, {}); }); }});
  families.push_back(
      {NAMES(histogram_skewed),
       {fma, {"shared-atomics", 4, 1, true}, far, parallel},
       [=](const Amounts& a) {
         histogram(KERNEL(histogram_skewed), 23, {a[0] - 1, 0, 0, a[2] - 1, 0, 0, a[1] - 4}, a[3],
                   a[3]);
       },
       {{"fix", "aggregate-atomics", [=] { histogram(KERNEL(histogram_skewed), 8, {}); }},
        {"fix", "more-loads-in-flight", [=] { count_ahead(23); }, {"dram-rate"}},
        {"decoy", "remove-bank-conflicts", [=] { histogram(PaddedHistogram, 23, {}); }}},
       "",
       [=] { return counts_all(samples, [=] { histogram(KERNEL(histogram_skewed), 23, {}); }); }});

  setting.draws->Begin("bitonic_sort");
  const int blocks = setting.draws->Near(8000);
  const auto sort = [=](const Extra& extra) {
    KERNEL(bitonic_sort)<<<blocks, 512, Padding()>>>(extra, reinterpret_cast<const uint32_t*>(In()),
                                                     reinterpret_cast<uint32_t*>(Out()), Sink());
  };
  families.push_back({NAMES(bitonic_sort),
                      {fma, alu, {"shared", 4, 1, true}},
                      [=](const Amounts& a) {
                        sort({a[0] - 1, a[1] - 1, a[2] - 4});
                      },
                      {{"fix", "fewer-shared-accesses",
                        [=] {
                          SortByShuffles<<<blocks, 512>>>(reinterpret_cast<const uint32_t*>(In()),
                                                          reinterpret_cast<uint32_t*>(Out()));
                        }},
                       {"decoy", "fewer-bytes",
                        [=] {
                          SortOfShorts<<<blocks, 512>>>(reinterpret_cast<const uint16_t*>(In()),
                                                        reinterpret_cast<uint16_t*>(Out()), Sink());
                        }}},
                      "",
                      [=] {
                        sort({});
                        std::vector<uint32_t> words(1024);
                        ReadBack(words.data(), Out(), 4096);
                        for (size_t i = 1; i < words.size(); ++i) {
                          if (words[i - 1] > words[i]) return false;
                        }
                        return true;
                      }});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(bitonic_sort)), 512, &families.back());

  setting.draws->Begin("elementwise");
  const unsigned elements = setting.draws->Near(1 << 23, 1 << 13);
  const auto apply = [=](const Extra& extra, int blocks = kBlocks, int parts = kBlocks) {
    KERNEL(elementwise)<<<sms * blocks, kThreads>>>(elements / kBlocks * parts, extra, vectors,
                                                    reinterpret_cast<float4*>(Out()), Sink());
  };
  families.push_back(
      {NAMES(elementwise),
       {fma, alu, {"dram", 3, 1, true}, parallel},
       [=](const Amounts& a) {
         apply({a[0] - 1, a[1] - 1, 0, a[2] - 3}, a[3], a[3]);
       },
       {{"fix", "fewer-bytes",
         [=] { ElementwiseOfHalves<<<sms * kBlocks, kThreads>>>(elements / 2, In(), Out()); }},
        {"decoy", "raise-occupancy", [=] { apply({}, kBlocks + 1); }}}});
  return families;
}

}  // namespace zoo
