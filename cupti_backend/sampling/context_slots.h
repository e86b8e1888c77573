// SPDX-License-Identifier: Apache-2.0
//
// The context slots hold the contexts that a recording samples: the first ones that it sees.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_SLOTS_H_
#define PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_SLOTS_H_

#include <array>
#include <atomic>
#include <vector>

#include "cupti_backend/sampling/context_sampler.h"
#include "cupti_backend/sampling/sampler_parts.h"

namespace prof::cupti {

class ContextSlots {
 public:
  static constexpr size_t kMaxContexts = SampleSchedule::kMaxSlots;

  // `parts` outlives this.
  explicit ContextSlots(SamplerParts* parts);

  // --- Any thread: no lock, no allocation ---

  // The sampler of a context, which gets a slot when it is new. nullptr: there is no slot left, or
  // no context.
  ContextSampler* Find(CUcontext handle) {
    ContextSampler& first = contexts_[0];  // the only one of most programs
    return handle != nullptr && first.handle() == handle ? &first : FindAmongAll(handle);
  }
  // `handle`, or a stream of it, is about to be destroyed.
  void CloseContext(CUcontext handle);
  void ForgetStream(CUcontext handle, CUstream stream);

  // A program may use several at a time.
  bool several() const { return contexts_[1].handle() != nullptr; }
  bool overflowed() const { return overflowed_.load(std::memory_order_relaxed); }

  // Every context is as it will be until the next launch: it counts, or was given up.
  [[nodiscard]] bool Settled() const;
  // Counters may still come from one of them.
  [[nodiscard]] bool Usable() const;
  // No counters come, or it is unknown when.
  [[nodiscard]] bool Failed() const;

  // --- The worker, and the end of a recording ---

  auto begin() { return contexts_.begin(); }
  auto end() { return contexts_.end(); }

  // --- The collector thread ---

  // CUDA ordinals of the devices whose contexts were seen.
  std::vector<int> Devices();

  // --- A thread that waits for the GPU ---

  // Waits for all work of the contexts that launched something. False when one of them failed.
  // `given_up`: no further context is waited for.
  bool Synchronize(const std::atomic<bool>& given_up);

 private:
  ContextSampler* FindAmongAll(CUcontext handle);
  void OnSecondContext();

  std::array<ContextSampler, kMaxContexts> contexts_;
  std::atomic<bool> overflowed_{false};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_SLOTS_H_
