// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's subscriber: sees API calls, of which launches may be sampled, and contexts.
#ifndef PROF_CUPTI_BACKEND_LAUNCH_CALLBACK_H_
#define PROF_CUPTI_BACKEND_LAUNCH_CALLBACK_H_

#include <atomic>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/calls/graph_nodes.h"
#include "cupti_backend/sampling/launch_sampler.h"
#include "cupti_backend/torch_profiler.h"
#include "lib/capture/process/striped_count.h"

namespace prof::cupti {

// One for the life of the process: a second subscription would give correlation ids anew.
class LaunchCallback {
 public:
  explicit LaunchCallback(const CuptiApi* api) : api_(api) {}

  // Subscribes, first of all CUPTI calls: it alone notices that another tool holds CUPTI, whose
  // name then is in `holder`. Idempotent.
  CUptiResult Subscribe(std::string* holder);

  // Turns the callbacks on and off. The sampler is called between the two and must outlive them.
  void Enable(LaunchSampler* sampler);
  void Disable();

  // Where nodes of CUDA graphs were captured, as far as they were while callbacks were on.
  GraphNodes& graph_nodes() { return graph_nodes_; }

  // Kernel and graph launches since the process began.
  uint64_t launches() const { return launches_.load(std::memory_order_relaxed); }

  // From now on each launch asks whether torch.profiler records its thread; nullptr: no more.
  void AskTorch(TorchProfilerEnabled enabled) {
    torch_enabled_.store(enabled, std::memory_order_release);
  }
  // What launches were told since the last call.
  struct TorchAnswers {
    bool on = false, off = false;
  };
  TorchAnswers TakeTorchAnswers() {
    return {torch_on_.exchange(false, std::memory_order_relaxed),
            torch_off_.exchange(false, std::memory_order_relaxed)};
  }

 private:
  static void CUPTIAPI OnCallback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                  const void* data);
  // Launching threads, at the begin and the end of each call that is recorded.
  void OnCall(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const CUpti_CallbackData& data);
  void OnLaunch(CUpti_CallbackId cbid, const CUpti_CallbackData& data);
  void NoteWait(CUpti_CallbackId cbid, const CUpti_CallbackData& data);
  void TellContextOnce(CUcontext context);
  static void OnRange(uint32_t path, bool entered);
  void SetCallbacks(uint32_t enable);

  const CuptiApi* const api_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::vector<CUpti_CallbackId> runtime_calls_, driver_calls_;  // that are recorded
  std::atomic<LaunchSampler*> sampler_{nullptr};
  std::atomic<uint64_t> launches_{0};
  GraphNodes graph_nodes_{api_};
  std::atomic<TorchProfilerEnabled> torch_enabled_{nullptr};
  std::atomic<bool> torch_on_{false}, torch_off_{false};
  capture::StripedCount inside_;  // callbacks that may be using the sampler
  // The sampler samples no launches: it is told of contexts, and of nothing else.
  std::atomic<bool> counts_only_{false};
  std::atomic<uint32_t> epoch_{0};  // changes when it is enabled or disabled; 0: never was
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_LAUNCH_CALLBACK_H_
