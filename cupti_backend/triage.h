// SPDX-License-Identifier: Apache-2.0
//
// Triage is PM sampling in bursts as a part of one recording: it takes the samples from their
// thread, compares them with the records, and passes on what they decide.
#ifndef PROF_CUPTI_BACKEND_TRIAGE_H_
#define PROF_CUPTI_BACKEND_TRIAGE_H_

#include <cstdint>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/pm/triage_sampler.h"
#include "cupti_backend/schedule/triage_watch.h"
#include "lib/capture/events/events.h"
#include "prof/session.h"

namespace prof::cupti {

class Triage {
 public:
  // `parts` as for TriageSampler.
  Triage(const TriageSampler::Parts& parts, const SessionOptions& options);

  TriageSampler& sampler() { return sampler_; }
  const TriageSampler& sampler() const { return sampler_; }

  // --- The collector thread ---

  // The events since the last call. Resolves the bursts whose records have come.
  PmEvents Gather();
  // Kernels that got enough samples since the last call.
  std::vector<TriageCoverage::Decided> TakeDecided();
  std::vector<KernelKey> TakeMet();

  // --- Any thread ---

  // Of the busy time of the GPUs in the latest bursts, the share of kernels without enough samples:
  // the highest of all devices. 1: nothing is known yet.
  double lacking() const;

 private:
  // A series as its samples are read: the unit of each metric.
  struct Series {
    int device = 0;
    std::vector<size_t> unit;  // by metric; kTriageUnits: none, such as the SM clock
  };
  void AddSeries(const capture::PmSeriesEvent& event);
  void AddBatch(const capture::PmBatchEvent& batch, int64_t now_ns);

  TriageWatch* const watch_;
  TriageSampler sampler_;
  std::vector<Series> series_;  // by id - 1
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_TRIAGE_H_
