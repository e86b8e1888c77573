// SPDX-License-Identifier: Apache-2.0
#include "lib/format/waiting_kernels.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>

namespace prof::format {
namespace {

// Parts of the names of kernels that wait for other kernels, other GPUs or the host, in small
// letters, and who has them. Mangled names contain identifiers as they are, so they need no
// demangling. The parts are generic: a kernel that is excluded by mistake has no counters, one that
// is not can hang the program.
constexpr std::string_view kWaits[] = {
    // Libraries.
    "nccl",         // NCCL, RCCL: ncclDevKernel_*, ncclKernel_*, ncclSymkDevKernel_*
    "nvshmem",      // NVSHMEM: collectives and barriers launched from the host
    "mscclpp",      // MSCCL++: executionKernel, allreduce kernels
    "deep_ep",      // DeepEP: dispatch, combine, notify, barrier (namespace deep_ep)
    "hybrid_ep",    // DeepEP's branch for NVLink domains: dispatch_kernel, combine_kernel
    "pplx",         // Perplexity's expert parallelism: dispatchKernel, combineKernel
    "uccl",         // UCCL: internode_ll::dispatch, combine
    "moea2a",       // TensorRT-LLM, FlashInfer: moeA2ADispatchKernel, moeA2ACombineKernel
    "mnnvl",        // FlashInfer, TensorRT-LLM: kernels over several hosts' NVLink
    "userbuffers",  // Transformer Engine: userbuffers_*, kuserbuffers_pushrecv
    // Collective operations by any name. ("a2a" alone would be in every 4,000th hash.)
    "allreduce", "all_reduce", "allgather", "all_gather", "reducescatter", "reduce_scatter",
    "alltoall", "all_to_all", "_a2a", "a2a_", "a2akernel", "a2adispatch", "a2acombine", "sendrecv",
    "send_recv", "cross_device",
    // What they are built on.
    "barrier",   // PyTorch symmetric memory, XLA: MultiGpuBarrierKernelImpl, barrier_kernel
    "lamport",   // TensorRT-LLM, FlashInfer: kernels that spin on flags in the data
    "multimem",  // PyTorch symmetric memory: multimem_all_reduce_kernel
    "nvls",      // NVLink SHARP
    "symm_mem", "symmetric_memory", "put_signal", "wait_signal",  // PyTorch symmetric memory, NIXL
    "peer", "p2p", "internode", "intranode",
    // Waiting itself.
    "spin_", "spinwait", "spinkernel", "spinlock", "waitflag", "wait_flag", "wait_value",
    "waitvalue", "gemm_wait", "delaykernel",
    "delay_kernel",  // XLA: waits until the host has launched what it measures
};

}  // namespace

bool WaitsForOthers(const char* name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(kWaits), std::end(kWaits),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

bool IsOfNccl(const char* name) {
  return std::string_view(name).find("nccl") != std::string_view::npos;
}

}  // namespace prof::format
