// SPDX-License-Identifier: Apache-2.0
//
// The counter plans prepare a context for sampling: they check that counters are allowed, find its
// chip, and plan the chip's pass groups. The sampler's worker alone uses them.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_COUNTER_PLANS_H_
#define PROF_CUPTI_BACKEND_SAMPLING_COUNTER_PLANS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/api/problem.h"
#include "cupti_backend/metrics/metric_host.h"
#include "cupti_backend/metrics/pass_planner.h"
#include "lib/capture/events/events.h"
#include "prof/session.h"

namespace prof::cupti {

struct ContextPlan {
  uint32_t context_id = 0;  // as in activity records
  int device = -1;
  const PassPlan* passes = nullptr;  // lives as long as the CounterPlans
  uint32_t first_group_id = 0;       // in the snapshot, of passes->groups[0]
  std::unique_ptr<MetricEvaluator> evaluator;

  std::vector<capture::PassGroupEvent> new_groups;  // none after the first context of its chip
  // Metrics that its chip cannot sample, with what each is for and the reason; empty: none.
  std::string left_out;
};

class CounterPlans {
 public:
  // Both tables outlive this.
  CounterPlans(const CuptiApi* api, const DriverApi* driver, const SessionOptions& options)
      : api_(api), driver_(driver), options_(options) {}

  // Fills `plan` for a context; about 0.3 s for the first one of a process, and what the
  // availability takes. A problem: counters cannot be sampled in it, and `plan` is of no use.
  [[nodiscard]] std::optional<Problem> Prepare(CUcontext context, Availability availability,
                                               ContextPlan* plan);

 private:
  struct Chip {
    std::string name;
    std::vector<uint8_t> availability;  // empty: was not asked for
    PassPlan passes;
    uint32_t first_group_id = 0;
  };

  std::optional<Problem> InitializeProfiler();
  std::optional<Problem> PlanChip(const std::string& name, CUcontext context,
                                  Availability availability, ContextPlan* plan, const Chip** chip);
  CUptiResult AskAvailability(CUcontext context, std::vector<uint8_t>* image) const;

  const CuptiApi* const api_;
  const DriverApi* const driver_;
  const SessionOptions options_;
  std::vector<std::unique_ptr<Chip>> chips_;
  bool initialized_ = false;
  std::optional<Problem> initialize_problem_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_COUNTER_PLANS_H_
