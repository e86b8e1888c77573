// SPDX-License-Identifier: Apache-2.0
//
// The PM sampler samples the counters of the devices in use at a fixed interval, on a thread of its
// own.
//
// The hardware serves one client at a time: while a range profiler is enabled on the device, CUPTI
// answers HARDWARE_BUSY. So PM sampling begins when launches are no longer sampled there.
//
// Decoding four units costs 51 us a sample on an H200's host, DRAM and L2 28, DRAM alone 11 to 13.
// So all units are sampled for a second at a time, and DRAM in between for as long as the allowed
// share of a core needs; where that is not enough the interval grows. DRAM with L2 would need twice
// the interval, and long samples do not separate short kernels.
#ifndef PROF_CUPTI_BACKEND_PM_PM_SAMPLER_H_
#define PROF_CUPTI_BACKEND_PM_PM_SAMPLER_H_

#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/api/problem.h"
#include "cupti_backend/metrics/metric_host.h"
#include "cupti_backend/pm/pm_events.h"
#include "cupti_backend/pm/pm_host.h"
#include "cupti_backend/pm/pm_session.h"
#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"
#include "prof/session.h"

namespace prof::cupti {

class PmSampler {
 public:
  // `hosts` is filled; all three outlive this.
  PmSampler(const CuptiApi* api, const DriverApi* driver, PmHosts* hosts,
            const SessionOptions& options);
  ~PmSampler() { Stop(); }
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;

  // The collector thread. Begins on a device, once. The sampler's thread does the work.
  void Start(int device);
  // Fetches the samples that are there and frees the hardware; waits for the thread.
  void Stop();
  // As TriageSampler::Abandon.
  void Abandon(const Problem& why);
  PmEvents TakeEvents();

  SubsystemStatus status() const;
  // As far as their number is known, from the time without samples.
  uint64_t samples_lost() const { return lost_.load(std::memory_order_relaxed); }
  uint64_t restarts() const { return restarts_.load(std::memory_order_relaxed); }

 private:
  struct Device;

  void Run();
  void SampleUntilStopped();
  void Open(Device& device);
  std::optional<Problem> Plan(Device& device);
  void Fetch(Device& device);
  void OnOverflow(Device& device);
  void Balance(Device& device);
  void LengthenInterval(Device& device, double factor) const;
  void Change(Device& device);
  int64_t DramSliceNs(const Device& device, double dram_share) const;
  void Reopen(Device& device);
  uint32_t SeriesOf(Device& device);
  void Emit(Device& device, capture::PmBatchEvent batch);
  void SetStatus(State state, const Problem& problem);

  const CuptiApi* const api_;
  const DriverApi* const driver_;
  PmHosts* const hosts_;
  const int64_t interval_ns_;
  const double core_share_;  // of one core, for decoding
  std::atomic<uint64_t> lost_{0};
  std::atomic<uint64_t> restarts_{0};
  std::atomic<bool> stopping_{false}, abandoned_{false};
  uint32_t next_series_ = 1;  // the thread

  mutable capture::Mutex mutex_;                     // never held across a call to CUPTI
  std::vector<int> wanted_ PROF_GUARDED_BY(mutex_);  // devices that Start was called for
  PmEvents events_ PROF_GUARDED_BY(mutex_);
  SubsystemStatus status_ PROF_GUARDED_BY(mutex_);

  sem_t wake_;
  std::thread thread_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_SAMPLER_H_
