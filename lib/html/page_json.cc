// SPDX-License-Identifier: Apache-2.0
#include "lib/html/page_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "lib/report/json.h"

namespace prof::html {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Name& name) {
  return {
      {"label", name.label}, {"kind", name.kind}, {"kernel", name.kernel}, {"range", name.range}};
}

Json ToJson(const RangeNode& range) {
  return {{"label", range.label},         {"name", range.name},       {"parent", range.parent},
          {"instances", range.instances}, {"host_ns", range.host_ns}, {"gpu_ns", range.gpu_ns},
          {"idle_ns", range.idle_ns}};
}

Json ToJson(const Track& track) {
  Json json{{"kind", track.kind},        {"group", track.group},   {"label", track.label},
            {"lane", track.lane},        {"device", track.device}, {"events", track.events},
            {"left_out", track.left_out}};
  if (!track.metrics.empty()) {
    json["metrics"] = track.metrics;
    json["maxima"] = track.maxima;
  }
  return json;
}

Json ToJson(const Block& block) {
  return {{"track", block.track}, {"rows", block.rows}, {"columns", block.column_bytes}};
}

Json ToJson(const Spark& spark) {
  Json values = Json::array();
  for (const double mean_ns : spark.mean_ns) values.push_back(std::llround(mean_ns));
  return {{"kernel", spark.kernel}, {"mean_ns", values}};
}

template <typename T>
Json List(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(ToJson(value));
  return list;
}

Json Causes() {
  Json causes = Json::array();
  for (int i = 0; i <= static_cast<int>(GapCause::kUnknown); ++i) {
    causes.push_back(ToString(static_cast<GapCause>(i)));
  }
  return causes;
}

}  // namespace

std::string ForPage(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  bool in_string = false, escaped = false;
  for (const char c : json) {
    if (!in_string && (c == ' ' || c == '\n')) continue;
    if (c == '<') {
      text += "\\u003c";
    } else {
      text.push_back(c);
    }
    if (c == '"' && !escaped) in_string = !in_string;
    escaped = in_string && c == '\\' && !escaped;
  }
  return text;
}

std::string ReportJson(const Report& report) {
  std::ostringstream out;
  WriteJson(out, report);
  return ForPage(out.str());
}

std::string TimelineJson(const TimelineData& data) {
  const Json json{{"version", 1},
                  {"start_ns", std::to_string(data.start_ns)},
                  {"span_ns", data.end_ns - data.start_ns},
                  {"causes", Causes()},
                  {"names", List(data.names)},
                  {"ranges", List(data.ranges)},
                  {"tracks", List(data.tracks)},
                  {"blocks", List(data.blocks)},
                  {"sparks", List(data.sparks)}};
  return ForPage(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace prof::html
