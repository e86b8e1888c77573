// SPDX-License-Identifier: Apache-2.0
//
// Pinned memory of the host, read and written by a kernel over the link.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr int kBlocks = 4;

struct Link {
  int vectors, fmas;  // of a thread
};

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(host_reads)(Link link, const uint4* in, uint32_t* sink) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t keep = at;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 4
  for (int i = 0; i < link.vectors; ++i, at += threads) {
    zoo::Use(zoo::LoadPastL1(in + (at & (zoo::kHostVectors - 1))), &keep);
  }
  for (int i = 0; i < link.fmas; ++i) zoo::Fma(chain);
  zoo::Keep(chain, keep, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(host_writes)(Link link, uint4* out, uint32_t* sink) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 4
  for (int i = 0; i < link.vectors; ++i, at += threads) {
    zoo::StoreStream(out + (at & (zoo::kHostVectors - 1)), make_uint4(at, at, at, at));
  }
  for (int i = 0; i < link.fmas; ++i) zoo::Fma(chain);
  zoo::Keep(chain, at, sink);
}

}  // namespace

namespace zoo {

std::vector<Family> HostFamilies(const Setting& setting) {
  const int sms = setting.sms;
  const auto read = [=](int vectors, int fmas, int blocks, const uint4* from) {
    KERNEL(host_reads)<<<sms * blocks, kThreads>>>({vectors, fmas}, from, Sink());
  };
  const auto write = [=](int vectors, int fmas, int blocks, uint4* to) {
    KERNEL(host_writes)<<<sms * blocks, kThreads>>>({vectors, fmas}, to, Sink());
  };
  std::vector<Family> families;
  families.push_back({NAMES(host_reads),
                      {{"link", 8, 2}, {"fma", 16, 4}, {"parallel", kBlocks, 1}},
                      [=](const Amounts& a) { read(a[0], a[1], a[2], HostMemory()); },
                      {{"fix", "move-to-device", [=] { read(8, 16, kBlocks, In()); }},
                       {"decoy", "fewer-fma", [=] { read(8, 8, kBlocks, HostMemory()); }}},
                      "host-memory"});
  families.push_back({NAMES(host_writes),
                      {{"link", 8, 2}, {"fma", 16, 4}, {"parallel", kBlocks, 1}},
                      [=](const Amounts& a) { write(a[0], a[1], a[2], HostMemory()); },
                      {{"fix", "move-to-device", [=] { write(8, 16, kBlocks, Out()); }},
                       {"decoy", "fewer-fma", [=] { write(8, 8, kBlocks, HostMemory()); }}},
                      "host-memory"});
  return families;
}

}  // namespace zoo
