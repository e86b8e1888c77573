// SPDX-License-Identifier: Apache-2.0
//
// The outbox holds what the counter sampler's threads have for the collector: events, the status
// and the count of failed samples.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_OUTBOX_H_
#define PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_OUTBOX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cupti_backend/api/problem.h"
#include "cupti_backend/sampling/sample_reader.h"
#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"
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

  // Moves all of `more` behind what is here.
  void Append(SamplerEvents more);
};

// Any thread. A short lock and an allocation; the lock is never held across a call of CUPTI.
class SamplerOutbox {
 public:
  explicit SamplerOutbox(State state) { status_.state = state; }

  void Add(std::vector<capture::PassGroupEvent> groups);
  void Add(std::vector<capture::CounterSampleEvent> samples, std::vector<PeakEvent> peaks);
  void Add(capture::UntracedKernelEvent event);
  void Add(capture::NoticeEvent notice);
  // Work of the calling thread.
  void Add(capture::ProfilerWork work, int64_t begin_ns, int64_t end_ns);
  SamplerEvents Take();

  void SetStatus(State state, Problem problem);
  // A context has no counters. The status is for all of them: where others are counted, it says so.
  void RefuseContext(Problem problem);
  // How many contexts are counted, or were until they were destroyed.
  void AddCounted(int contexts);
  SubsystemStatus status() const;

  void CountFailed(size_t samples) { failed_.fetch_add(samples); }
  uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> failed_{0};
  mutable capture::Mutex mutex_;
  SamplerEvents events_ PROF_GUARDED_BY(mutex_);
  SubsystemStatus status_ PROF_GUARDED_BY(mutex_);
  int counted_ PROF_GUARDED_BY(mutex_) = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_OUTBOX_H_
