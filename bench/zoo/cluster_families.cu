// SPDX-License-Identifier: Apache-2.0
//
// Clusters of thread blocks (sm_90): reads of the shared memory of another SM, and barriers of all
// blocks of a cluster.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr unsigned kSharedVectors = 1024;  // 16 KiB a block
constexpr int kBlocks = 4;

__device__ __forceinline__ void ClusterBarrier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
#endif
}

// `own`: of its own shared memory.
struct Reads {
  int rounds, reads, fmas;
  bool own;
};

// Each block reads what its neighbour in the cluster has.
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(cluster_reads)(Reads work, uint32_t* sink) {
  [[maybe_unused]] __shared__ uint4 shared[kSharedVectors];
  for (unsigned i = threadIdx.x; i < kSharedVectors; i += blockDim.x) {
    shared[i] = make_uint4(i, i + 1, i + 2, i + 3);
  }
  ClusterBarrier();
  uint32_t keep = threadIdx.x;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#if __CUDA_ARCH__ >= 900
  uint32_t rank, size, far;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  const uint32_t near = zoo::SharedAddress(shared);
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(far)
               : "r"(near), "r"((rank + 1) % size));
  unsigned vector = threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    if (work.own) {
#pragma unroll 8
      for (int i = 0; i < work.reads; ++i, vector += 32) {
        zoo::Use(zoo::LoadSharedVector(near + 16 * (vector & (kSharedVectors - 1))), &keep);
      }
    } else {
#pragma unroll 8
      for (int i = 0; i < work.reads; ++i, vector += 32) {
        uint4 value;
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                     : "r"(far + 16 * (vector & (kSharedVectors - 1))));
        zoo::Use(value, &keep);
      }
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
#endif
  ClusterBarrier();  // the neighbour may still read this block's
  zoo::Keep(chain, keep, sink);
}

// `alone`: each block waits for its own threads only.
struct Barriers {
  int rounds, barriers, fmas;
  bool alone;
};

extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(cluster_barriers)(Barriers work, uint32_t* sink) {
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
    if (work.alone) {
      for (int i = 0; i < work.barriers; ++i) __syncthreads();
    } else {
      for (int i = 0; i < work.barriers; ++i) ClusterBarrier();
    }
  }
  zoo::Keep(chain, 0, sink);
}

template <typename Work>
void Launch(void (*kernel)(Work, uint32_t*), const Work& work, int cluster, int blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks / cluster * cluster;
  config.blockDim = kThreads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, work, zoo::Sink());
}

zoo::Family ClusterReads(const zoo::Setting& setting) {
  setting.draws->Begin("cluster_reads");
  const Reads work{setting.draws->Near(20), 32, 8, false};
  const int sms = setting.sms, cluster = setting.draws->OneOf({2, 4, 8});
  const auto run = [=](const Reads& its, int blocks) {
    Launch(KERNEL(cluster_reads), its, cluster, sms * blocks);
  };
  Reads own = work, bare = work;
  own.own = true;
  bare.fmas /= 2;
  zoo::Family family{NAMES(cluster_reads),
                     {{"link", work.reads, 8}, {"fma", work.fmas, 2}, {"parallel", kBlocks, 1}},
                     [=](const zoo::Amounts& a) {
                       run({work.rounds, a[0], a[1], false}, a[2]);
                     },
                     {{"fix", "keep-data-closer", [=] { run(own, kBlocks); }},
                      {"decoy", "fewer-fma", [=] { run(bare, kBlocks); }}}};
  family.least_major = 9;
  return family;
}

zoo::Family ClusterBarriers(const zoo::Setting& setting) {
  setting.draws->Begin("cluster_barriers");
  const Barriers work{setting.draws->Near(300, 4), 4, 2, false};
  const int sms = setting.sms, cluster = setting.draws->OneOf({4, 8});
  const auto run = [=](const Barriers& its, int blocks) {
    Launch(KERNEL(cluster_barriers), its, cluster, sms * blocks);
  };
  Barriers alone = work, bare = work;
  alone.alone = true;
  bare.fmas /= 2;
  zoo::Family family{
      NAMES(cluster_barriers),
      {{"barrier", work.barriers, 1}, {"fma", work.fmas, 1}, {"parallel", 1, 1, true}},
      [=](const zoo::Amounts& a) {
        run({work.rounds, a[0], a[1], false}, a[2]);
      },
      {{"fix", "barriers-of-blocks", [=] { run(alone, 1); }},
       {"decoy", "fewer-fma", [=] { run(bare, 1); }}}};
  family.least_major = 9;
  return family;
}

}  // namespace

namespace zoo {

std::vector<Family> ClusterFamilies(const Setting& setting) {
  return {ClusterReads(setting), ClusterBarriers(setting)};
}

}  // namespace zoo
