// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/launch_selection.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string_view>

namespace prof::cupti {
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

std::string Demangled(const char* name) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = demangled != nullptr ? demangled : name;
  std::free(demangled);
  return text;
}

std::string Counted(uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

const char* WhyExcluded(Exclusion reason) {
  switch (reason) {
    case Exclusion::kWaits:
      return "named like one that waits for other kernels or GPUs";
    case Exclusion::kNeverAlone:
      return "that never ended before later work began, so they may wait for it";
    case Exclusion::kHeldUp:
      return "that held the program up under a counter range";
    default:
      return nullptr;  // the user's own choice
  }
}

}  // namespace

bool WaitsForOthers(const char* name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(kWaits), std::end(kWaits),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

LaunchSelection::LaunchSelection(const SessionOptions& options)
    : kernel_expression_(options.kernel_filter),
      range_expression_(options.range_filter),
      kernel_filter_(options.kernel_filter),
      range_filter_(options.range_filter),
      skip_(std::max<int64_t>(options.launch_skip, 0)),
      count_(std::max<int64_t>(options.launch_count, 0)),
      counts_launches_(skip_ != 0 || count_ != 0) {}

bool LaunchSelection::KernelMatches(const char* name) {
  if (kernel_filter_.empty()) return true;
  if (name == nullptr) return false;
  bool failed = false;
  const bool found = kernel_filter_.Matches(Demangled(name), &failed);
  if (failed) match_failed_.store(true, std::memory_order_relaxed);
  return found;
}

Exclusion LaunchSelection::Decide(const char* name, bool range_matches, capture::SampleUnit unit) {
  if (unit != capture::SampleUnit::kKernel) name = nullptr;
  try {
    if (!range_matches || !KernelMatches(name)) return Exclusion::kNotChosen;
    chose_one_.store(true, std::memory_order_relaxed);
    if (name == nullptr || !WaitsForOthers(name)) return Exclusion::kNone;
    AddName(Exclusion::kWaits, name);
    return Exclusion::kWaits;
  } catch (const std::exception&) {  // out of memory
    match_failed_.store(true, std::memory_order_relaxed);
    return Exclusion::kNotChosen;
  }
}

void LaunchSelection::Exclude(SampleSchedule& schedule, SampleSchedule::Entry& entry,
                              Exclusion reason, const char* name) {
  schedule.Exclude(entry, reason);
  try {
    AddName(reason, name != nullptr ? name : "(no name)");
  } catch (const std::exception&) {  // the launch counts without its name
  }
}

void LaunchSelection::AddName(Exclusion reason, const char* name) {
  const capture::MutexLock lock(mutex_);
  std::vector<std::string>& names = names_[static_cast<size_t>(reason)];
  if (names.size() >= kMaxNames || std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  names.emplace_back(name);
}

std::vector<capture::NoticeEvent> LaunchSelection::Notices(const SampleSchedule& schedule) const {
  constexpr size_t kNamesShown = 3;
  std::vector<capture::NoticeEvent> notices;
  const auto note = [&](capture::Severity severity, std::string what, std::string fix) {
    notices.push_back(
        {severity, capture::Subsystem::kCounters, 0, std::move(what), std::move(fix)});
  };
  const capture::MutexLock lock(mutex_);
  for (size_t i = 0; i < kExclusions; ++i) {
    const auto reason = static_cast<Exclusion>(i);
    const std::vector<std::string>& names = names_[i];
    const char* why = WhyExcluded(reason);
    if (names.empty() || why == nullptr) continue;
    std::string what = Counted(names.size(), "kernel", "kernels") + " " + why + ": not sampled (" +
                       Counted(schedule.CountOf(reason).launches, "launch", "launches") + "): ";
    for (size_t k = 0; k < std::min(names.size(), kNamesShown); ++k) {
      what += (k == 0 ? "" : ", ") + Demangled(names[k].c_str());
    }
    if (names.size() > kNamesShown) what += ", ...";
    note(capture::Severity::kInfo, std::move(what), "");
  }
  if (const uint64_t launches = several_devices_.load(std::memory_order_relaxed); launches > 0) {
    note(capture::Severity::kInfo,
         Counted(launches, "cooperative launch", "cooperative launches") +
             " over several devices: not sampled",
         "");
  }
  const bool chosen = chose_one_.load(std::memory_order_relaxed);
  if (!chosen && schedule.signatures() > 0 && (!kernel_filter_.empty() || !range_filter_.empty())) {
    std::string what = "none of " +
                       Counted(schedule.signatures(), "kernel signature", "kernel signatures") +
                       " matches";
    if (!kernel_expression_.empty()) what += " kernel '" + kernel_expression_ + "'";
    if (!range_expression_.empty()) what += " range '" + range_expression_ + "'";
    note(capture::Severity::kWarning, what + ": no counters were sampled",
         "prof report lists the kernels' names and ranges");
  }
  if (match_failed_.load(std::memory_order_relaxed) || range_filter_.failed()) {
    note(capture::Severity::kWarning,
         "a kernel or range could not be compared with the filter (out of memory): not sampled",
         "");
  }
  return notices;
}

}  // namespace prof::cupti
