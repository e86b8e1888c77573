// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/metrics/metrics_json.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "lib/cli/metrics/metrics_levels.h"

namespace prof::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const std::vector<cupti::CatalogueMetric>& metrics) {
  Json list = Json::array();
  for (const cupti::CatalogueMetric& metric : metrics) {
    list.push_back({{"name", metric.name},
                    {"kind", metric.kind},
                    {"hardware", metric.hardware},
                    {"unit", metric.unit},
                    {"description", metric.description}});
  }
  return list;
}

}  // namespace

std::string MetricsJson(const cupti::CatalogueAnswer& answer, const MetricsOptions& options) {
  Json levels = Json::array(), throughputs = Json::array();
  for (const cupti::CatalogueLevel& level : answer.levels) {
    const MetricLevel& about = LevelOrOwnList(level.name);
    Json groups = Json::array();
    for (const cupti::CatalogueGroup& group : level.groups) {
      groups.push_back({{"cost_class", group.cost_class},
                        {"sample_cost_ns", group.sample_cost_ns},
                        {"metrics", ToJson(group.metrics)}});
    }
    levels.push_back({{"name", about.name},
                      {"read_with", about.included},
                      {"passes", level.groups.size()},
                      {"sample_cost_ns", SampleCostNs(level)},
                      {"total_cost_ns", SampleCostNs(level) * options.samples},
                      {"groups", groups}});
  }
  for (const cupti::CatalogueThroughput& throughput : answer.throughputs) {
    throughputs.push_back({{"metric", throughput.metric},
                           {"parts", throughput.parts},
                           {"missing", throughput.missing}});
  }
  const Json json = {{"schema", 2},
                     {"chip", answer.chip},
                     {"chip_source", answer.chip_source},
                     {"chips", answer.chips},
                     {"cupti_version", answer.cupti_version},
                     {"samples", options.samples},
                     {"cost_source", kCostSource},
                     {"levels", levels},
                     {"throughputs", throughputs},
                     {"left_out", answer.left_out},
                     {"found", ToJson(answer.found)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prof::cli
