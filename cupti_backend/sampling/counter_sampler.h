// SPDX-License-Identifier: Apache-2.0
//
// Counters from launches that happen anyway: a user range is pushed before and popped after a
// chosen launch, inside its callback; every other launch runs untouched.
//
// Threads: OnLaunchEnter/OnLaunchExit run on launching threads, inside the callback, and do no more
// than push and pop. A thread of the sampler's own plans the passes and changes from one group to
// the next, which takes 7 to 62 ms and would hold up the program in a callback. One thread at a
// time works with CUPTI's profiler (`busy_`); a launching thread never waits for it, it goes on
// unsampled. The rest is called on the collector thread.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_COUNTER_SAMPLER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_COUNTER_SAMPLER_H_

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/sampling/counter_plans.h"
#include "cupti_backend/sampling/sample_reader.h"
#include "cupti_backend/sampling/sampled_context.h"
#include "cupti_backend/sampling/trace_pause.h"
#include "cupti_backend/schedule/launch.h"
#include "cupti_backend/schedule/launch_selection.h"
#include "cupti_backend/schedule/path_filter.h"
#include "cupti_backend/schedule/record_watch.h"
#include "cupti_backend/schedule/sample_schedule.h"
#include "lib/capture/events/events.h"
#include "prof/session.h"

namespace prof::cupti {

// What the collector takes.
struct SamplerEvents {
  std::vector<PeakEvent> peaks;
  std::vector<capture::PassGroupEvent> groups;
  std::vector<capture::CounterSampleEvent> samples;
  std::vector<capture::UntracedKernelEvent> untraced;
  std::vector<capture::ProfilerIntervalEvent> intervals;
  std::vector<capture::NoticeEvent> notices;
};

class CounterSampler {
 public:
  CounterSampler(const CuptiApi* api, const DriverApi* driver, const SessionOptions& options);
  ~CounterSampler();
  CounterSampler(const CounterSampler&) = delete;
  CounterSampler& operator=(const CounterSampler&) = delete;

  // Launching threads, around each launch. Most launches cost a table look-up; a sampled one what
  // CUPTI's range costs: 50 us to 1 ms on an H200, and the wait until the GPU is idle.
  void OnLaunchEnter(const Launch& launch);
  void OnLaunchExit();
  // A thread whose innermost NVTX range has become `path`, or is about to leave it.
  void OnRangeEnter(uint32_t path);
  void OnRangeExit(uint32_t path);
  // A thread that made a context, or is about to use one: counters are prepared at once, so that
  // the first launches wait for them as little as possible. Only posts to the worker.
  void OnContext(CUcontext context) { FindContext(context); }
  // Threads that destroy a context or a stream.
  void OnContextDestroyed(CUcontext context);
  void OnStreamDestroyed(CUcontext context, CUstream stream);

  // A launch on several devices at once: never sampled, counted.
  void OnSeveralDevicesLaunch() { selection_.NoteSeveralDevices(); }

  // Counters were asked for: OnLaunchEnter and OnLaunchExit are to be called.
  bool samples_launches() const { return wanted_; }
  // Some range is counted as a whole: OnRangeEnter and OnRangeExit are to be called.
  bool counts_ranges() const { return !counted_ranges_.empty(); }

  // The collector thread.
  SamplerEvents TakeEvents();
  // Told of all GPU work that was decoded.
  RecordWatch& records() { return records_; }
  // CUDA ordinals of the devices whose contexts were seen.
  std::vector<int> Devices();
  // Waits for all work of the contexts that launched something. False when one of them failed.
  bool SynchronizeContexts();
  // Reads the samples taken so far and lets go of the hardware. No launch is sampled after it.
  void Stop();

  // Calls `work` at a moment when no launch is under a counter range and none comes under one.
  // False when there is no such moment within a second.
  bool Undisturbed(const std::function<void()>& work);

  SubsystemStatus status() const;
  bool Complete() const;
  // Every known context is as it will be until the next launch: counting, or given up. Tests wait
  // for it; in a program the launches of that moment are just not sampled.
  bool Settled() const;
  uint64_t samples_failed() const { return samples_failed_.load(std::memory_order_relaxed); }
  uint64_t signatures_dropped() const { return schedule_.dropped(); }

 private:
  static constexpr size_t kMaxContexts = SampleSchedule::kMaxLanes;
  static constexpr int64_t kStopWaitNs = 1'000'000'000;
  // How long a launching thread waits for the GPU to be idle before it opens a range.
  static constexpr int64_t kIdleWaitNs = 200'000'000;
  using Context = SampledContext;
  using Phase = SampledContext::Phase;

  Context* FindContext(CUcontext handle);
  void RunWorker();
  void WorkUntilClosed();
  static void SetPhaseUnlessClosed(Context& context, Phase phase);
  void AwaitWork();
  void Refused(Context& context, const CounterProblem& problem);
  void NoteRecovery(Context& context);
  void AskFor(Context& context, uint32_t group);
  void RotateAsAsked(Context& context);
  bool Prepare(Context& context);
  bool TryEnter() { return !busy_.exchange(true, std::memory_order_acquire); }
  void Leave() { busy_.store(false, std::memory_order_release); }
  bool EnterWithin(int64_t timeout_ns);
  bool WithinBudget(int64_t now_ns) const;
  void AskForWork(const Context& context, const Launch& launch, SampleSchedule::Entry* entry);
  bool EndsByItself(const Context& context, const Launch& launch, SampleSchedule::Entry* entry);
  bool AwaitReady(Context& context);
  void WaitAtGate(const Context& context) const;
  bool CloseGate(Context& context);
  // A graph may hold kernels that wait for their likes in another context's graph.
  bool SeveralContexts() const;
  void Watch(int64_t now_ns);
  void NoteUntraced(const Launch& launch);
  size_t LaneOf(const Context& context) const {
    return static_cast<size_t>(&context - contexts_.data());
  }
  SampleSchedule::Entry* FindSignature(const Launch& launch, size_t lane);
  void WriteNotices();

  // Under busy_:
  void SampleNext(Context& context, SampleSchedule::Entry* entry, const Launch& launch,
                  int64_t now_ns);
  bool Open(Context& context, SampleSchedule::Entry* entry, const Launch& launch, uint32_t group);
  void CloseOpenRange();
  void BackOff(Context& context);
  CUptiResult Rotate(Context& context, uint32_t group);
  CUptiResult StopAndDecode(Context& context);
  void Fail(Context& context, CUptiResult result, const char* action);
  void RecordInterval(capture::ProfilerWork work, int64_t begin_ns, int64_t end_ns);
  void SetStatus(State state, int code, std::string what, std::string fix);

  const CuptiApi* const api_;
  const DriverApi* const driver_;
  const SessionOptions options_;
  const uint32_t id_;
  const int64_t start_ns_;
  const bool wanted_;  // any counters at all
  const bool replays_;
  CounterPlans plans_;  // the worker
  SampleSchedule schedule_;
  LaunchSelection selection_;
  PathFilter counted_ranges_;
  TracePause tracing_;
  RecordWatch records_;
  std::array<Context, kMaxContexts> contexts_;
  std::atomic<bool> busy_{false};
  // Closed while CUPTI waits for the work of this context, which has several streams.
  std::atomic<const Context*> gate_{nullptr};
  std::atomic<bool> closed_{false};
  std::atomic<bool> too_many_contexts_{false};
  mutable std::atomic<bool> paused_{false};  // the budget was used up at some time
  std::atomic<int64_t> cost_ns_{0};
  std::atomic<uint64_t> samples_failed_{0};

  // The sample that is open, for the worker's eye on launches that do not return.
  std::atomic<int64_t> open_since_ns_{0};
  std::atomic<SampleSchedule::Entry*> open_entry_{nullptr};
  std::atomic<const char*> open_name_{nullptr};

  mutable std::mutex mutex_;  // of the two below; never held across a CUPTI call
  SamplerEvents events_;
  SubsystemStatus status_;

  sem_t work_;  // posted for the worker
  std::thread worker_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_COUNTER_SAMPLER_H_
