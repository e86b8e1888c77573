// SPDX-License-Identifier: Apache-2.0
//
// Kernels of CUB's block-wide algorithms: a dose can stand beside them, which it cannot in a kernel
// of the library.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

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

constexpr int kItems = 8;  // of a thread
constexpr int kBlockItems = kThreads * kItems;

template <typename Word>
using LoadOf = cub::BlockLoad<Word, kThreads, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
using Load = LoadOf<uint32_t>;
using Store = cub::BlockStore<uint32_t, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
using Scan = cub::BlockScan<uint32_t, kThreads>;
using Sort = cub::BlockRadixSort<uint32_t, kThreads, kItems>;

union Shared {
  Load::TempStorage load;
  Store::TempStorage store;
  Scan::TempStorage scan;
  Sort::TempStorage sort;
  uint4 vectors[32];
};

// Prefix sums (or the order, `kSorts`) of segments of kBlockItems words. An additional read is 16
// bytes of each thread, half of what it reads.
template <bool kSorts>
__device__ __forceinline__ void RunSegment(const Extra& extra, const uint32_t* in, uint32_t* out,
                                           uint32_t* sink) {
  __shared__ Shared shared;
  ExtraState state;
  const size_t begin = size_t{1} * blockIdx.x * kBlockItems;
  zoo::FarReads<uint4> far;
  far.Start(in, begin / 4 + threadIdx.x, extra.dram);
  uint32_t item[kItems];
  Load(shared.load).Load(in + begin, item);
  far.End(extra.dram, &state.keep);
  __syncthreads();
  if constexpr (kSorts) {
    Sort(shared.sort).Sort(item);
  } else {
    Scan(shared.scan).InclusiveSum(item, item);
  }
  __syncthreads();
  for (int i = 0; i < extra.barriers; ++i) __syncthreads();
  state.Run(extra, zoo::SharedAddress(shared.vectors));
  __syncthreads();
  Store(shared.store).Store(out + begin, item);
  state.End(sink);
}

// The same of words of 16 bits, which become 32; `kBits`: the lowest ones, by which it sorts.
template <bool kSorts, typename Word, int kBits>
__global__ void __launch_bounds__(kThreads) OtherSegment(const Word* in, uint32_t* out) {
  __shared__ union {
    typename LoadOf<Word>::TempStorage load;
    Shared rest;
  } shared;
  const size_t begin = size_t{1} * blockIdx.x * kBlockItems;
  Word word[kItems];
  uint32_t item[kItems];
  LoadOf<Word>(shared.load).Load(in + begin, word);
#pragma unroll
  for (int i = 0; i < kItems; ++i) item[i] = word[i];
  __syncthreads();
  if constexpr (kSorts) {
    Sort(shared.rest.sort).Sort(item, 0, kBits);
  } else {
    Scan(shared.rest.scan).InclusiveSum(item, item);
  }
  __syncthreads();
  Store(shared.rest.store).Store(out + begin, item);
}

// By another algorithm, with fewer barriers.
__global__ void __launch_bounds__(kThreads) ScanOfWarps(const uint32_t* in, uint32_t* out) {
  using WarpScans = cub::BlockScan<uint32_t, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union {
    Shared rest;
    WarpScans::TempStorage scan;
  } shared;
  const size_t begin = size_t{1} * blockIdx.x * kBlockItems;
  uint32_t item[kItems];
  Load(shared.rest.load).Load(in + begin, item);
  __syncthreads();
  WarpScans(shared.scan).InclusiveSum(item, item);
  __syncthreads();
  Store(shared.rest.store).Store(out + begin, item);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(library_scan)(Extra extra, const uint32_t* in, uint32_t* out, uint32_t* sink) {
  RunSegment<false>(extra, in, out, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(library_sort)(Extra extra, const uint32_t* in, uint32_t* out, uint32_t* sink) {
  RunSegment<true>(extra, in, out, sink);
}

using Kernel = void (*)(Extra, const uint32_t*, uint32_t*, uint32_t*);

const uint32_t* Words() { return reinterpret_cast<const uint32_t*>(zoo::In()); }

// `alu`, `shared`, `barriers`: about what its machine code has of each, in the units of Extra.
zoo::Family Make(const char* id, const char* name, Kernel kernel, int segments, int alu, int shared,
                 int barriers, std::function<bool(const std::vector<uint32_t>&)> is_right,
                 const zoo::Setting& setting) {
  setting.draws->Begin(name);
  const int blocks = setting.draws->Near(segments);
  const auto run = [=](const Extra& extra) {
    kernel<<<blocks, kThreads, zoo::Padding()>>>(
        extra, Words(), reinterpret_cast<uint32_t*>(zoo::Out()), zoo::Sink());
  };
  const auto step = [](int natural) { return (natural + 3) / 4; };
  zoo::Family family{id,
                     name,
                     {{"dram", 4, 1, true},
                      {"alu", alu, step(alu), true},
                      {"shared", shared, step(shared), true},
                      {"barrier", barriers, step(barriers), true}},
                     [=](const zoo::Amounts& a) {
                       Extra extra;
                       extra.dram = a[0] - 4;
                       extra.alu = a[1] - alu;
                       extra.shared = a[2] - shared;
                       extra.barriers = a[3] - barriers;
                       run(extra);
                     },
                     {},
                     "",
                     [=] {
                       run({});
                       std::vector<uint32_t> words(kBlockItems);
                       zoo::ReadBack(words.data(), zoo::Out(), words.size() * sizeof(uint32_t));
                       return is_right(words);
                     }};
  const auto by = [=](auto other, const auto* in) {
    return [=] { other<<<blocks, kThreads>>>(in, reinterpret_cast<uint32_t*>(zoo::Out())); };
  };
  const auto shorts = reinterpret_cast<const uint16_t*>(zoo::In());
  if (kernel == KERNEL(library_scan)) {
    family.variants = {{"fix", "fewer-bytes", by(OtherSegment<false, uint16_t, 32>, shorts)},
                       {"decoy", "balance-barriers", by(ScanOfWarps, Words())}};
  } else {
    // All floats of In() have the same sign and exponent: 23 bits are enough.
    family.variants = {{"fix",
                        "fewer-shared-accesses",
                        by(OtherSegment<true, uint32_t, 23>, Words()),
                        {"relieve-both"}},
                       {"decoy", "fewer-bytes", by(OtherSegment<true, uint16_t, 32>, shorts)}};
  }
  zoo::AddWarpsKnob(reinterpret_cast<const void*>(kernel), kThreads, &family);
  return family;
}

bool IsSum(const std::vector<uint32_t>& found) {
  std::vector<uint32_t> in(found.size());
  zoo::ReadBack(in.data(), Words(), in.size() * sizeof(uint32_t));
  uint32_t sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    if (found[i] != sum) return false;
  }
  return true;
}

bool IsSorted(const std::vector<uint32_t>& found) {
  for (size_t i = 1; i < found.size(); ++i) {
    if (found[i - 1] > found[i]) return false;
  }
  return true;
}

}  // namespace

namespace zoo {

std::vector<Family> LibraryFamilies(const Setting& setting) {
  return {Make(NAMES(library_scan), KERNEL(library_scan), 20000, 11, 12, 4, IsSum, setting),
          Make(NAMES(library_sort), KERNEL(library_sort), 8000, 112, 156, 56, IsSorted, setting)};
}

}  // namespace zoo
