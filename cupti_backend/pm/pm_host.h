// SPDX-License-Identifier: Apache-2.0
//
// The PM host holds what PM sampling of a device needs from CUPTI's host library: the plan and the
// evaluator. It is made once in a process.
#ifndef PROF_CUPTI_BACKEND_PM_PM_HOST_H_
#define PROF_CUPTI_BACKEND_PM_PM_HOST_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/problem.h"
#include "cupti_backend/metrics/metric_host.h"
#include "cupti_backend/pm/pm_plan.h"

namespace prof::cupti {

struct PmHost {
  std::string chip;
  std::vector<uint8_t> availability;  // the host object keeps reading it; empty: was not asked for
  std::vector<PmPlan> plans;
  std::unique_ptr<MetricEvaluator> evaluator;
};

struct MadePmHost {
  std::unique_ptr<PmHost> host;  // nullptr: `problem` is the reason
  Problem problem;
};

// `plan` makes the plans; the host fails when the first one has no pass. 90 ms for the first one of
// a process, then 10 ms, and what the availability takes.
[[nodiscard]] MadePmHost MakePmHost(
    const CuptiApi& api, int device, Availability availability,
    const std::function<std::vector<PmPlan>(const MetricHost& host)>& plan);

// The hosts of a process, by CUDA ordinal. Any thread; a device's host never changes once it is
// there, and lives as long as this: in a recording, as long as the process.
class PmHosts {
 public:
  static constexpr int kMaxDevices = 64;

  PmHosts() = default;
  ~PmHosts();
  PmHosts(const PmHosts&) = delete;
  PmHosts& operator=(const PmHosts&) = delete;

  // nullptr: there is none yet.
  PmHost* Find(int device) const;
  // The host that is there afterwards: another thread may have been faster. nullptr: no such
  // ordinal.
  PmHost* Put(int device, std::unique_ptr<PmHost> host);

 private:
  std::array<std::atomic<PmHost*>, kMaxDevices> hosts_{};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_HOST_H_
