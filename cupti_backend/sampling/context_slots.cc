// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/context_slots.h"

#include <algorithm>
#include <utility>

namespace prof::cupti {
namespace {

using Phase = ContextSampler::Phase;

template <size_t... kSlots>
std::array<ContextSampler, sizeof...(kSlots)> MakeContexts(SamplerParts* parts,
                                                           std::index_sequence<kSlots...>) {
  return {ContextSampler(parts, kSlots)...};
}

}  // namespace

ContextSlots::ContextSlots(SamplerParts* parts)
    : contexts_(MakeContexts(parts, std::make_index_sequence<kMaxContexts>())) {}

ContextSampler* ContextSlots::FindAmongAll(CUcontext handle) {
  if (handle == nullptr) return nullptr;
  for (ContextSampler& context : contexts_) {
    const CUcontext known = context.handle();
    if (known == handle) return &context;
    if (known == nullptr && context.Claim(handle)) {
      if (&context != &contexts_[0]) OnSecondContext();
      return &context;
    }
  }
  overflowed_.store(true, std::memory_order_relaxed);
  return nullptr;
}

// A kernel of one context may wait for a kernel of another: the order within one stream proves
// nothing.
void ContextSlots::OnSecondContext() {
  for (ContextSampler& context : contexts_) context.streams().SetSeveral();
}

void ContextSlots::CloseContext(CUcontext handle) {
  for (ContextSampler& context : contexts_) {
    if (context.handle() == handle) context.Close();
  }
}

void ContextSlots::ForgetStream(CUcontext handle, CUstream stream) {
  for (ContextSampler& context : contexts_) {
    if (context.handle() == handle) context.streams().Destroyed(stream);
  }
}

bool ContextSlots::Settled() const {
  return std::none_of(contexts_.begin(), contexts_.end(), [](const ContextSampler& context) {
    const Phase phase = context.phase();
    return phase == Phase::kNew || phase == Phase::kReady || context.awaits_group();
  });
}

bool ContextSlots::Usable() const {
  return std::any_of(contexts_.begin(), contexts_.end(), [](const ContextSampler& context) {
    const Phase phase = context.phase();
    return phase == Phase::kNew || ContextSampler::Prepared(phase);
  });
}

bool ContextSlots::Failed() const {
  const Phase first = contexts_[0].phase();
  return first == Phase::kFailed || first == Phase::kBusy;
}

std::vector<int> ContextSlots::Devices() {
  std::vector<int> devices;
  for (ContextSampler& context : contexts_) {
    const int device = context.handle() != nullptr ? context.device() : -1;
    if (device >= 0 && std::find(devices.begin(), devices.end(), device) == devices.end()) {
      devices.push_back(device);
    }
  }
  return devices;
}

bool ContextSlots::Synchronize(const std::atomic<bool>& given_up) {
  bool ok = true;
  for (ContextSampler& context : contexts_) {
    if (given_up.load()) return false;
    if (context.handle() != nullptr) ok &= context.Synchronize(given_up);
  }
  return ok;
}

}  // namespace prof::cupti
