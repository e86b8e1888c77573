// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_host.h"

#include <optional>
#include <utility>

#include "cupti_backend/api/counter_errors.h"
#include "cupti_backend/api/cupti_files.h"

namespace prof::cupti {
namespace {

MadePmHost Failed(Problem problem) { return {nullptr, std::move(problem)}; }

CUptiResult AskAvailability(const CuptiApi& api, int device, std::vector<uint8_t>* image) {
  CUpti_PmSampling_GetCounterAvailability_Params available = {
      CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE};
  available.deviceIndex = static_cast<size_t>(device);
  const CUptiResult result = api.pm_get_counter_availability(&available);
  if (result != CUPTI_SUCCESS || available.counterAvailabilityImageSize == 0) return result;
  image->resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = image->data();
  return api.pm_get_counter_availability(&available);
}

}  // namespace

MadePmHost MakePmHost(const CuptiApi& api, int device, Availability availability,
                      const std::function<std::vector<PmPlan>(const MetricHost& host)>& plan) {
  LoadCompanions(api.path);
  CUpti_Profiler_Initialize_Params init = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  if (const CUptiResult result = api.profiler_initialize(&init); result != CUPTI_SUCCESS) {
    return Failed(ExplainCounterError(api, result, "initialize the profiler"));
  }
  if (std::optional<Problem> problem = FindCounterObstacle(api, device)) return Failed(*problem);
  CUpti_Device_GetChipName_Params name = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  name.deviceIndex = static_cast<size_t>(device);
  if (const CUptiResult result = api.device_get_chip_name(&name); result != CUPTI_SUCCESS) {
    return Failed(ExplainCounterError(api, result, "ask for the chip's name"));
  }
  auto host = std::make_unique<PmHost>();
  host->chip = name.pChipName;
  if (availability == Availability::kAsked) {
    const CUptiResult result = AskAvailability(api, device, &host->availability);
    if (result != CUPTI_SUCCESS) {
      return Failed(ExplainCounterError(api, result, "ask which counters can be sampled"));
    }
  }
  const MetricHost metrics(&api, host->chip, host->availability, CUPTI_PROFILER_TYPE_PM_SAMPLING);
  host->plans = plan(metrics);
  if (host->plans.empty() || host->plans.front().passes.empty()) {
    return Failed({static_cast<int>(CUPTI_ERROR_NOT_SUPPORTED),
                   "PM sampling has no metrics for " + host->chip, ""});
  }
  host->evaluator = std::make_unique<MetricEvaluator>(&api, host->chip, host->availability,
                                                      CUPTI_PROFILER_TYPE_PM_SAMPLING);
  return {std::move(host), {}};
}

PmHosts::~PmHosts() {
  for (const std::atomic<PmHost*>& host : hosts_) {
    const std::unique_ptr<PmHost> freed(host.load(std::memory_order_acquire));
  }
}

PmHost* PmHosts::Find(int device) const {
  if (device < 0 || device >= kMaxDevices) return nullptr;
  return hosts_[static_cast<size_t>(device)].load(std::memory_order_acquire);
}

PmHost* PmHosts::Put(int device, std::unique_ptr<PmHost> host) {
  if (device < 0 || device >= kMaxDevices) return nullptr;
  PmHost* expected = nullptr;
  std::atomic<PmHost*>& place = hosts_[static_cast<size_t>(device)];
  if (place.compare_exchange_strong(expected, host.get(), std::memory_order_acq_rel)) {
    return host.release();
  }
  return expected;
}

}  // namespace prof::cupti
