// SPDX-License-Identifier: Apache-2.0
#include "lib/html/page_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>
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

// Each text once.
class Strings {
 public:
  uint64_t IdOf(const std::string& text) {
    const auto [it, added] = ids_.emplace(text, all_.size());
    if (added) all_.push_back(text);
    return it->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::unordered_map<std::string, uint64_t> ids_;
  std::vector<std::string> all_;
};

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
                  {"begun_ns", data.begun_ns},
                  {"causes", Causes()},
                  {"names", List(data.names)},
                  {"ranges", List(data.ranges)},
                  {"tracks", List(data.tracks)},
                  {"blocks", List(data.blocks)},
                  {"sparks", List(data.sparks)},
                  {"owners", data.owners},
                  {"op_kernels", data.op_kernels},
                  {"has_stacks", !data.stacks.nodes.empty()}};
  return ForPage(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string StacksJson(const Stacks& stacks) {
  Strings strings;
  Json frames = Json::array(), nodes = Json::array(), kernels = Json::array();
  for (const StackFrame& frame : stacks.frames) {
    for (const uint64_t value :
         {strings.IdOf(frame.function), strings.IdOf(frame.file), uint64_t{frame.line}}) {
      frames.push_back(value);
    }
    frames.push_back(frame.own ? 1 : 0);
  }
  for (const StackNode& node : stacks.nodes) {
    for (const int64_t value : {int64_t{node.parent}, int64_t{node.frame}, node.gpu_ns,
                                node.idle_ns, node.host_ns, node.operations}) {
      nodes.push_back(value);
    }
    kernels.push_back(node.kernels);
  }
  const Json json{
      {"strings", strings.all()}, {"frames", frames}, {"nodes", nodes}, {"kernels", kernels}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace prof::html
