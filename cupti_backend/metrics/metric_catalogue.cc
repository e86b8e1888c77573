// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/metric_catalogue.h"

#include <dlfcn.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/cupti_files.h"
#include "cupti_backend/api/cupti_versions.h"
#include "cupti_backend/metrics/metric_host.h"
#include "cupti_backend/metrics/metric_levels.h"
#include "cupti_backend/metrics/metric_search.h"
#include "cupti_backend/metrics/pass_planner.h"

namespace prof::cupti {
namespace {

std::string ChoicesText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// CUPTI's name for the first GPU's chip; empty, with the reason, when there is none.
std::string ChipOfFirstGpu(const CuptiApi& api, std::string* why) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto initialize =
      driver == nullptr ? nullptr : reinterpret_cast<decltype(&cuInit)>(dlsym(driver, "cuInit"));
  if (initialize == nullptr) {
    *why = "there is no NVIDIA driver here";
    return {};
  }
  if (const CUresult result = initialize(0); result != CUDA_SUCCESS) {
    *why = "cuInit failed with CUresult " + std::to_string(result);
    return {};
  }
  CUpti_Profiler_Initialize_Params profiler = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  CUpti_Device_GetChipName_Params name = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  LoadCompanions(api.path);
  CUptiResult result = api.profiler_initialize(&profiler);
  if (result == CUPTI_SUCCESS) result = api.device_get_chip_name(&name);
  if (result == CUPTI_SUCCESS && name.pChipName != nullptr) return name.pChipName;
  *why = "CUPTI does not know GPU 0: " + ErrorText(api, result);
  return {};
}

const char* KindOf(const MetricHost& host, const std::string& base) {
  const auto found = host.metrics().find(base);
  if (found == host.metrics().end()) return "";
  switch (found->second) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kRatio:
      return "ratio";
    case MetricKind::kThroughput:
      break;
  }
  return "throughput";
}

// `names` with CUPTI's descriptions of their base names `bases`.
std::vector<CatalogueMetric> Described(const MetricHost& host,
                                       const std::vector<std::string>& names,
                                       const std::vector<std::string>& bases) {
  const std::vector<MetricDescription> descriptions = host.Describe(bases);
  std::vector<CatalogueMetric> metrics;
  for (size_t i = 0; i < names.size(); ++i) {
    metrics.push_back({names[i], KindOf(host, bases[i]), descriptions[i].hardware,
                       descriptions[i].unit, descriptions[i].description});
  }
  return metrics;
}

// What a run would read: a level is planned after the cheaper ones that --counters reads with it.
std::vector<MetricLevel> LevelsRequested(const MetricHost& host,
                                         const CatalogueQuestion& question) {
  if (!question.metrics.empty()) return {UserLevel(question.metrics)};
  std::vector<MetricLevel> levels;
  for (const std::string& name : LevelNames()) {
    const bool needed =
        question.level.empty() || name == question.level ||
        (question.level == "speed-of-light" && name == "sol");  // reads what sol does not
    if (needed && name != "pulse") levels.push_back(LevelNamed(host, name));
  }
  return levels;
}

void AddPlan(const MetricHost& host, const CatalogueQuestion& question, PassPlan plan,
             CatalogueAnswer* answer) {
  for (const PlannedGroup& group : plan.groups) {
    const bool shown =
        !question.metrics.empty() || question.level.empty() || question.level == group.level;
    if (!shown) continue;
    if (answer->levels.empty() || answer->levels.back().name != group.level) {
      answer->levels.push_back({group.level, {}});
    }
    std::vector<std::string> bases;
    for (const std::string& metric : group.metrics) bases.push_back(host.BaseOf(metric));
    answer->levels.back().groups.push_back(
        {Described(host, group.metrics, bases), ToString(group.cost), SampleCostNs(group.cost)});
  }
  for (ThroughputPlan& throughput : plan.throughputs) {
    const auto known = [&](const auto& of_other_level) {
      return of_other_level.metric == throughput.metric;
    };
    if (std::any_of(answer->throughputs.begin(), answer->throughputs.end(), known)) continue;
    answer->throughputs.push_back(
        {std::move(throughput.metric), std::move(throughput.parts), std::move(throughput.missing)});
  }
  for (std::string& text : plan.left_out) answer->left_out.push_back(std::move(text));
}

void Search(const MetricHost& host, const CatalogueQuestion& question, CatalogueAnswer* answer) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : host.metrics()) {
    if (question.search(name)) names.push_back(name);
  }
  answer->found = Described(host, names, names);
}

// Sets the chip; false, with the error in `answer`, when CUPTI does not know it.
bool ChooseChip(const CuptiApi& api, const CatalogueQuestion& question, CatalogueAnswer* answer) {
  if (question.chip.empty()) {
    std::string why;
    answer->chip = ChipOfFirstGpu(api, &why);
    answer->chip_source = answer->chip.empty() ? "assumed: " + why : "of GPU 0";
    if (answer->chip.empty()) answer->chip = kAssumedChip;
    return true;
  }
  answer->chip = question.chip;
  answer->chip_source = "as asked for";
  std::transform(answer->chip.begin(), answer->chip.end(), answer->chip.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  const std::vector<std::string>& chips = answer->chips;
  if (std::find(chips.begin(), chips.end(), answer->chip) != chips.end()) return true;
  answer->error = "CUPTI knows no chip '" + question.chip + "'";
  answer->fix = "name one of " + ChoicesText(chips);
  return false;
}

}  // namespace

CatalogueAnswer AskCatalogue(const CatalogueQuestion& question) {
  CatalogueAnswer answer;
  const std::vector<std::string> names = LevelNames();
  if (!question.level.empty() &&
      std::find(names.begin(), names.end(), question.level) == names.end()) {
    answer.error = "there is no level '" + question.level + "'";
    answer.fix = "name one of " + ChoicesText(names);
    return answer;
  }
  CuptiApi api;
  if (std::optional<Problem> problem = LoadCupti(&api)) {
    answer.error = std::move(problem->what);
    answer.fix = std::move(problem->fix);
    return answer;
  }
  if (!api.Has(Feature::kMetrics)) {
    Problem problem = MissingFeature(api, Feature::kMetrics);
    answer.error = std::move(problem.what);
    answer.fix = std::move(problem.fix);
    return answer;
  }
  answer.cupti_path = api.path;
  answer.cupti_version = api.version;
  answer.chips = SupportedChips(api);
  if (!ChooseChip(api, question, &answer)) return answer;
  const MetricHost host(&api, answer.chip, {});
  if (!host.ok()) {
    answer.error = "CUPTI has no metrics for " + answer.chip;
    answer.fix = "name another chip; prof metrics lists them";
  } else if (question.search) {
    Search(host, question, &answer);
  } else {
    const bool pulse =
        question.metrics.empty() && (question.level.empty() || question.level == "pulse");
    if (pulse) AddPlan(host, question, PlanPasses(host, {LevelNamed(host, "pulse")}), &answer);
    AddPlan(host, question, PlanPasses(host, LevelsRequested(host, question)), &answer);
  }
  return answer;
}

}  // namespace prof::cupti
