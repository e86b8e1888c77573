// SPDX-License-Identifier: Apache-2.0
//
// The launch callback is CUPTI's subscriber. It sees API calls, launches and contexts, and passes
// them to the call trace and the sampler.
#ifndef PROF_CUPTI_BACKEND_LAUNCH_CALLBACK_H_
#define PROF_CUPTI_BACKEND_LAUNCH_CALLBACK_H_

#include <atomic>
#include <string>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/calls/graph_nodes.h"
#include "cupti_backend/calls/waiting_graphs.h"
#include "cupti_backend/code/code_watch.h"
#include "cupti_backend/departure.h"
#include "cupti_backend/launch_counts.h"
#include "cupti_backend/pm/triage_sampler.h"
#include "cupti_backend/sampling/launch_sampler.h"
#include "cupti_backend/subscription.h"
#include "cupti_backend/torch_profiler.h"
#include "lib/capture/process/striped_count.h"

namespace prof::cupti {

// There is one for the life of the process: a second subscription would restart the correlation
// ids.
class LaunchCallback {
 public:
  explicit LaunchCallback(const CuptiApi* api) : api_(api) {}

  // Subscribes, before any other call to CUPTI: only this call fails when another tool holds CUPTI.
  // `holder` gets the name of that tool. Idempotent.
  CUptiResult Subscribe(std::string* holder);

  // CUPTI has dropped the subscription. From now on nothing of it is used.
  void OnLost() { subscription_.Lose(); }
  // Whether it may be subscribed to after a loss.
  [[nodiscard]] bool MayStartAgain() const { return subscription_.MayBeginAgain(); }
  // Subscribes a second time, and turns the callbacks on. Correlation ids begin again at 1.
  CUptiResult SubscribeAgain(std::string* holder);

  // How many calls of Subscription::kBeatCall our own threads have made; nothing else is done
  // there.
  uint64_t beats() const { return beats_.load(std::memory_order_relaxed); }

  // Turns the callbacks on and off. The samplers are called between the two and must outlive them.
  // `triage`: gets the devices of new contexts; nullptr: none. Returns why there are no callbacks
  // of launches.
  CUptiResult Enable(LaunchSampler* sampler, TriageSampler* triage);
  void Disable();

  // Between the two no launch and no call is counted or recorded. Launches, contexts, streams and
  // graphs are followed all the same: a launch that began before ends in order, and what runs later
  // is known.
  void Pause();
  void Resume();

  // From now on launches that are made, and not only captured, are counted there, also while it is
  // paused. Until Disable(), which `counts` must outlive; nullptr: no longer.
  void CountLaunches(LaunchCounts* counts);

  // After Disable(), with nothing of CUPTI in use: leaves CUPTI (departure.h) when a call of the
  // program has waited for the GPU. A program that begins to capture a stream before, or ends,
  // keeps it.
  void LeaveAtNextWait();
  // Before a subscription.
  [[nodiscard]] Departure::Left TakeGone() { return departure_.TakeGone(); }
  // The program has built, changed or launched a CUDA graph while callbacks were on.
  [[nodiscard]] bool saw_graphs() const { return saw_graphs_.load(std::memory_order_relaxed); }

  // After Disable(): a thread may still be in a callback, which does not return.
  [[nodiscard]] bool inside() const { return inside_.Sum() != 0; }

  // The ranges of the graph nodes that were made while callbacks were on.
  GraphNodes& graph_nodes() { return graph_nodes_; }

  // Whether the code of modules is looked into, from the next Enable() on.
  void WatchCode(bool watch) { watches_code_ = watch; }
  // The code of the modules that were loaded while callbacks were on.
  const CodeWatch& code() const { return code_; }

  // Kernel and graph launches since the process began.
  const std::atomic<uint64_t>& launches() const { return counted_.launches; }
  // Of them: their calls returned an error, so nothing was launched.
  uint64_t launches_failed() const { return launches_failed_.load(std::memory_order_relaxed); }

  // Callbacks in which we ran out of memory, since the process began: what they would have recorded
  // is missing.
  uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

  // From now on each launch asks whether torch.profiler records its thread; nullptr: no longer.
  void CheckTorch(TorchProfilerEnabled enabled) {
    torch_enabled_.store(enabled, std::memory_order_release);
  }
  // The answers that launches got since the last call.
  struct TorchAnswers {
    bool on = false, off = false;
  };
  TorchAnswers TakeTorchAnswers() {
    return {counted_.torch_on.exchange(false, std::memory_order_relaxed),
            counted_.torch_off.exchange(false, std::memory_order_relaxed)};
  }

 private:
  static void CUPTIAPI OnCallback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                  const void* data);
  // Launching threads, at the begin and the end of each call that is recorded.
  void OnCall(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const CUpti_CallbackData& data);
  void OnCallBetween(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                     const CUpti_CallbackData& data);
  // True: the call is not recorded.
  bool OnStreamCall(CUpti_CallbackId cbid, const CUpti_CallbackData& data);
  void CountLaunch();
  void CountIfMade(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                   const CUpti_CallbackData& data);
  void OnLaunch(CUpti_CallbackId cbid, const CUpti_CallbackData& data);
  void OnQuestion(uint32_t epoch, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                  const CUpti_CallbackData& data);
  void RecordWait(CUpti_CallbackId cbid, const CUpti_CallbackData& data);
  void ReportContextOnce(CUcontext context);
  // A thread that loads a module; nullptr: CUPTI says nothing about it.
  void ReadCode(const CUpti_ModuleResourceData* module);
  void PrepareTriage(CUcontext context);
  void AwaitTriage(CUcontext context);
  void OnResource(CUpti_CallbackId cbid, const CUpti_ResourceData& resource);
  static void OnRange(uint32_t path, uint32_t token, bool entered);

  // What each launch writes. It has a cache line of its own: launches on other cores read the
  // fields beside it, and a write to their line would take it away from those cores.
  struct alignas(64) Counted {
    std::atomic<uint64_t> launches{0};
    std::atomic<bool> torch_on{false}, torch_off{false};
  };

  const CuptiApi* const api_;
  Subscription subscription_{api_};
  std::atomic<uint64_t> beats_{0};
  std::atomic<LaunchSampler*> sampler_{nullptr};
  std::atomic<TriageSampler*> triage_{nullptr};
  std::atomic<LaunchCounts*> counts_{nullptr};
  std::atomic<uint64_t> failed_{0}, launches_failed_{0};
  Departure departure_{api_};
  std::atomic<bool> saw_graphs_{false};
  GraphNodes graph_nodes_{api_};
  WaitingGraphs waiting_graphs_{api_};
  CodeWatch code_;
  bool watches_code_ = true;
  std::atomic<TorchProfilerEnabled> torch_enabled_{nullptr};
  Counted counted_;
  capture::StripedCount inside_;  // callbacks that may be using the sampler
  // The sampler samples no launches: it gets contexts, and nothing else.
  std::atomic<bool> counts_only_{false};
  // Changes when it is enabled, disabled, paused or resumed.
  static constexpr uint32_t kPaused = uint32_t{1} << 31;
  // Between recordings: callbacks may come all the same, before CUPTI is left.
  static constexpr uint32_t kOff = uint32_t{1} << 30;
  static constexpr uint32_t kCounts = uint32_t{1} << 29;
  std::atomic<uint32_t> epoch_{kOff};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_LAUNCH_CALLBACK_H_
