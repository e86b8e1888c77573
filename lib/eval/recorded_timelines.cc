// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/recorded_timelines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "prof/analyzer.h"
#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof::eval {
namespace {

using Json = nlohmann::json;

constexpr int kTimelinesFormat = 1;
constexpr char kRecordAgain[] =
    "; the experiment coverage_timelines (bench/README.md) leaves the list with its recordings";

// Empty: all of them exist.
std::string UnknownId(const PlantedTimeline& timeline) {
  const std::vector<std::string> known = FindingIds();
  for (const auto* const ids : {&timeline.expected, &timeline.harmful}) {
    for (const std::string& id : *ids) {
      if (std::find(known.begin(), known.end(), id) != known.end()) continue;
      return timeline.kind + ": no finding is called \"" + id +
             "\"; docs/guide/rules.md has all of them";
    }
  }
  return "";
}

// Adds what one recording advises. Empty: done.
std::string AddFindings(const std::filesystem::path& folder, const Json& recordings,
                        const char* form, std::optional<FoundFindings>* found) {
  if (!recordings.contains(form)) return "";
  const std::filesystem::path name = recordings.at(form).get<std::string>();
  if (name.has_parent_path()) {
    return name.string() + " is no file beside it; recordings lie in the folder of their list";
  }
  const std::filesystem::path path = folder / name;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return "the recording " + path.string() + " is missing" + kRecordAgain;
  }
  const Report report = Analyze(Snapshot::FromFile(path.string()));
  if (!report.error.empty()) return path.string() + ": " + report.error + kRecordAgain;
  *found = FindingsOf(report);
  return "";
}

// Empty: done.
std::string AddTimeline(const std::filesystem::path& folder, const Json& row,
                        std::vector<PlantedTimeline>* timelines) {
  PlantedTimeline timeline;
  timeline.kind = row.at("kind").get<std::string>();
  timeline.expected = row.at("expected").get<std::vector<std::string>>();
  timeline.harmful = row.at("harmful").get<std::vector<std::string>>();
  timeline.needs_counters = row.value("needs_counters", false);
  const Json& recordings = row.at("recordings");
  std::string problem = UnknownId(timeline);
  for (const auto& [form, file] : recordings.items()) {
    if (form == "timeline" || form == "default" || !problem.empty()) continue;
    problem = timeline.kind + ": no form of a recording is called \"" + form +
              "\"; there are timeline and default";
  }
  if (problem.empty() && recordings.empty()) problem = timeline.kind + ": it has no recording";
  if (problem.empty()) {
    problem = AddFindings(folder, recordings, "timeline", &timeline.with_timeline);
  }
  if (problem.empty()) {
    problem = AddFindings(folder, recordings, "default", &timeline.with_default);
  }
  timelines->push_back(std::move(timeline));
  return problem;
}

std::string ReadRows(const std::filesystem::path& folder, const Json& root,
                     std::vector<PlantedTimeline>* timelines) {
  try {
    if (root.at("format") != kTimelinesFormat) {
      return "its format is " + root.at("format").dump() + ", and this prof reads " +
             std::to_string(kTimelinesFormat) + ": use the prof of the tree that wrote it";
    }
    for (const Json& row : root.at("rows")) {
      std::string problem = AddTimeline(folder, row, timelines);
      if (!problem.empty()) return problem;
    }
  } catch (const Json::exception& error) {
    return "it is no list of timelines, in row " + std::to_string(timelines->size()) + ": " +
           error.what();
  }
  return "";
}

}  // namespace

PlantedTimelines ReadTimelines(const std::string& folder) {
  PlantedTimelines result;
  const std::filesystem::path path = std::filesystem::path(folder) / kTimelinesFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return result;
  std::ifstream file(path);
  const Json root = file ? Json::parse(file, nullptr, false) : Json(Json::value_t::discarded);
  const std::string problem =
      root.is_discarded() ? "it is no JSON" : ReadRows(folder, root, &result.timelines);
  if (problem.empty()) return result;
  result.error = path.string() + ": " + problem;
  result.timelines.clear();
  return result;
}

}  // namespace prof::eval
