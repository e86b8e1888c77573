// SPDX-License-Identifier: Apache-2.0
//
// The triage sampler samples the units of the devices in use by PM sampling, in short bursts, from
// the first launch on. The program does not feel it: it touches no launch.
//
// A thread of its own prepares each device once its first context is there, and takes the bursts
// (TriageSchedule has when). The first launches of a device wait until it is prepared.
//
// The hardware serves one client at a time: while a session is open here, the range profiler cannot
// start on the device, and the reverse. So the two take turns (HardwareTurns).
#ifndef PROF_CUPTI_BACKEND_PM_TRIAGE_SAMPLER_H_
#define PROF_CUPTI_BACKEND_PM_TRIAGE_SAMPLER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/api/problem.h"
#include "cupti_backend/pm/pm_events.h"
#include "cupti_backend/pm/pm_host.h"
#include "cupti_backend/pm/triage_device.h"
#include "cupti_backend/schedule/hardware_turns.h"
#include "cupti_backend/schedule/launch_alarm.h"
#include "cupti_backend/schedule/sampling_policy.h"
#include "cupti_backend/schedule/triage_schedule.h"
#include "cupti_backend/schedule/triage_watch.h"
#include "lib/capture/process/mutex.h"
#include "prof/session.h"

namespace prof::cupti {

class TriageSampler {
 public:
  struct Parts {
    const CuptiApi* api = nullptr;
    const DriverApi* driver = nullptr;
    PmHosts* hosts = nullptr;  // is filled
    TriageWatch* watch = nullptr;
    HardwareTurns* turns = nullptr;
    SamplingPolicy* policy = nullptr;
    const std::atomic<uint64_t>* launches = nullptr;  // of the process, so far
  };
  // All that `parts` points to outlives this.
  TriageSampler(const Parts& parts, const SessionOptions& options);
  ~TriageSampler() { Stop(); }
  TriageSampler(const TriageSampler&) = delete;
  TriageSampler& operator=(const TriageSampler&) = delete;

  // --- Any thread ---

  // PM sampling is opened by the sampler's thread on a device that has got its first context: 0.15
  // s on an H200. Nothing happens for a device that is known. The first launches wait for it
  // (AwaitPrepared).
  void Prepare(int device) noexcept;
  // The same for a context that is older than the recording: no launch waits.
  void PrepareLater(int device) noexcept;
  // A device is being prepared whose launches should wait. One relaxed load.
  bool preparing() const { return awaited_.load(std::memory_order_relaxed) != 0; }
  // A launching thread of `device`: waits until it is prepared, so that a short program is seen
  // from its first launch; at most kLongestPreparationNs after the last new device got its context.
  void AwaitPrepared(int device) noexcept;
  static constexpr int64_t kLongestPreparationNs = 250'000'000;

  // --- The thread that starts and stops a recording ---

  void Start();
  // Frees the hardware; waits for the thread.
  void Stop();
  // No bursts while it is paused; the thread lets go of the hardware within 10 ms.
  void SetPaused(bool paused);

  // --- The collector thread ---

  // CUPTI has ended: no more bursts, and no call to CUPTI. Waits for the thread.
  void Abandon(const Problem& why);
  PmEvents TakeEvents();

  // --- Any thread ---

  SubsystemStatus status() const;
  uint64_t samples_lost() const { return lost_.load(std::memory_order_relaxed); }
  // What a reader should know of the bursts, once they have ended.
  std::vector<capture::NoticeEvent> Notices() const;

 private:
  // What a step found: how long the thread may sleep, whether there is something to learn, and
  // whether bursts wait for launches.
  struct Outlook {
    int64_t wake_ns = INT64_MAX;
    bool wanted = false;
    bool listens = false;
  };

  void Run();
  void SampleUntilStopped();
  void LoadLibraries();
  void PrepareRequested();
  void PrepareNow(int device);
  Outlook ServeAll(int64_t now_ns);
  Outlook Serve(TriageDevice& device, int64_t now_ns);
  [[nodiscard]] bool WaitUntil(int64_t at_ns);
  void Open(TriageDevice& device, int64_t interval_ns);
  void Burst(TriageDevice& device, int64_t length_ns);
  void OnMisdated(TriageDevice& device);
  void TakeTurns(const Outlook& outlook, int64_t now_ns);
  bool NoneUsable() const;
  void CloseAll();
  void CloseOpen();
  uint32_t SeriesOf(TriageDevice& device);
  // False: it has no samples, or there is no room for it.
  bool Emit(capture::PmBatchEvent batch);
  void AddInterval(int64_t begin_ns) noexcept;
  void SetStatus(State state, const Problem& problem);
  void ReportOpen(const TriageDevice& device);

  const Parts parts_;
  TriageBudget budget_;  // the thread
  std::vector<std::unique_ptr<TriageDevice>> devices_;
  // Devices, a bit each: to be prepared, and those of them whose launches wait.
  std::atomic<uint64_t> later_{0}, awaited_{0};
  std::atomic<int64_t> awaited_until_ns_{0};  // after the last of their contexts
  std::atomic<uint64_t> lost_{0}, bursts_failed_{0}, bursts_misdated_{0};
  std::atomic<bool> stopping_{false}, paused_{false}, abandoned_{false};
  uint32_t next_series_ = 1;  // the thread

  mutable capture::Mutex mutex_;  // never held across a call to CUPTI
  PmEvents events_ PROF_GUARDED_BY(mutex_);
  SubsystemStatus status_ PROF_GUARDED_BY(mutex_);

  LaunchAlarm no_launches_;  // where the policy has no alarm
  LaunchAlarm& alarm_;
  std::thread thread_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_TRIAGE_SAMPLER_H_
