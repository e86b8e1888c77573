// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/counter_plans.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cupti_backend/api/counter_errors.h"
#include "cupti_backend/api/cupti_files.h"
#include "cupti_backend/schedule/sample_schedule.h"
#include "lib/format/metric_purpose.h"

namespace prof::cupti {
namespace {

// The throughputs that have a part in `group`.
std::vector<capture::ThroughputEvent> ThroughputsOf(const PassPlan& plan,
                                                    const PlannedGroup& group) {
  std::vector<capture::ThroughputEvent> events;
  for (const ThroughputPlan& throughput : plan.throughputs) {
    const bool reads =
        std::any_of(group.metrics.begin(), group.metrics.end(), [&](const std::string& metric) {
          const std::vector<std::string>& parts = throughput.parts;
          return std::find(parts.begin(), parts.end(), metric) != parts.end();
        });
    if (reads) events.push_back({throughput.metric, throughput.parts, throughput.missing});
  }
  return events;
}

// "FP64 (sm__...): no such metric on ..." of "sm__...: no such metric on ...".
std::string WithPurpose(const std::string& left_out) {
  const size_t end = std::min(left_out.find(": "), left_out.size());
  return format::WithPurpose(std::string_view(left_out).substr(0, end)) + left_out.substr(end);
}

}  // namespace

std::optional<Problem> CounterPlans::Prepare(CUcontext context, Availability availability,
                                             ContextPlan* plan) {
  if (std::optional<Problem> problem = InitializeProfiler()) return problem;
  CUdevice device = 0;
  // A context that is prepared again keeps its id and its passes: a launch may read them now.
  if (plan->context_id == 0) api_->get_context_id(context, &plan->context_id);
  CUresult usable = driver_->ctx_set_current(context);
  if (usable == CUDA_SUCCESS) usable = driver_->ctx_get_device(&device);
  if (usable != CUDA_SUCCESS) {
    return Problem{static_cast<int>(usable),
                   "the CUDA context cannot be used: CUresult " + std::to_string(usable),
                   "the timeline is complete without counters"};
  }
  plan->device = static_cast<int>(device);
  if (std::optional<Problem> problem = FindCounterObstacle(*api_, device)) return problem;
  CUpti_Device_GetChipName_Params name = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  name.deviceIndex = static_cast<size_t>(device);
  if (const CUptiResult result = api_->device_get_chip_name(&name); result != CUPTI_SUCCESS) {
    return Problem{static_cast<int>(result),
                   "CUPTI does not know this GPU: " + ErrorText(*api_, result),
                   "update the CUDA toolkit's CUPTI"};
  }
  const Chip* chip = nullptr;
  if (std::optional<Problem> problem =
          PlanChip(name.pChipName, context, availability, plan, &chip)) {
    return problem;
  }
  if (chip->passes.groups.empty()) {
    return Problem{0, "none of the metrics can be sampled on " + chip->name + ": " + plan->left_out,
                   "check the names against this chip's metrics"};
  }
  if (plan->passes != &chip->passes) plan->passes = &chip->passes;
  plan->first_group_id = chip->first_group_id;
  plan->evaluator = std::make_unique<MetricEvaluator>(api_, chip->name, chip->availability);
  return std::nullopt;
}

std::optional<Problem> CounterPlans::InitializeProfiler() {
  const bool busy =  // to be tried again
      initialize_problem_ && initialize_problem_->code == CUPTI_ERROR_HARDWARE_BUSY;
  if (initialized_ && !busy) return initialize_problem_;
  initialized_ = true;
  initialize_problem_.reset();
  // After the activity kinds were enabled: in the other order CUPTI never gives a record.
  LoadCompanions(api_->path);
  CUpti_Profiler_Initialize_Params params = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  const CUptiResult result = api_->profiler_initialize(&params);
  if (result != CUPTI_SUCCESS) {
    initialize_problem_ = ExplainCounterError(*api_, result, "initialize the profiler");
  }
  return initialize_problem_;
}

CUptiResult CounterPlans::AskAvailability(CUcontext context, std::vector<uint8_t>* image) const {
  CUpti_Profiler_GetCounterAvailability_Params available = {
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
  available.ctx = context;
  const CUptiResult result = api_->profiler_get_counter_availability(&available);
  if (result != CUPTI_SUCCESS) return result;
  image->resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = image->data();
  return api_->profiler_get_counter_availability(&available);
}

std::optional<Problem> CounterPlans::PlanChip(const std::string& name, CUcontext context,
                                              Availability availability, ContextPlan* plan,
                                              const Chip** chip) {
  uint32_t next_group_id = 1;
  for (const auto& known : chips_) {
    *chip = known.get();
    if (known->name == name) return std::nullopt;
    next_group_id += static_cast<uint32_t>(known->passes.groups.size());
  }
  auto made = std::make_unique<Chip>();
  made->name = name;
  made->first_group_id = next_group_id;
  if (availability == Availability::kAsked) {
    const CUptiResult result = AskAvailability(context, &made->availability);
    if (result != CUPTI_SUCCESS) {
      return ExplainCounterError(*api_, result, "ask which counters exist");
    }
  }
  const MetricHost host(api_, name, made->availability);
  const std::vector<MetricLevel> levels = LevelsOf(host, options_.counters, options_.metrics);
  made->passes =
      options_.replay == Replay::kKernel ? PlanReplay(host, levels) : PlanPasses(host, levels);
  std::vector<PlannedGroup>& groups = made->passes.groups;
  for (; groups.size() > SampleSchedule::kMaxGroups; groups.pop_back()) {
    for (const std::string& metric : groups.back().metrics) {
      made->passes.left_out.push_back(metric + ": more pass groups than prof rotates through");
    }
  }
  for (const std::string& metric : made->passes.left_out) {
    plan->left_out += (plan->left_out.empty() ? "" : "; ") + WithPurpose(metric);
  }
  for (uint32_t i = 0; i < groups.size(); ++i) {
    plan->new_groups.push_back({made->first_group_id + i, groups[i].level, groups[i].metrics,
                                ThroughputsOf(made->passes, groups[i])});
  }
  chips_.push_back(std::move(made));
  *chip = chips_.back().get();
  return std::nullopt;
}

}  // namespace prof::cupti
