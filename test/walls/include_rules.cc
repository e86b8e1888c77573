// SPDX-License-Identifier: Apache-2.0
#include "test/walls/include_rules.h"

#include <algorithm>

#include "test/walls/rooms.h"

namespace prof::walls {
namespace {

struct Prefix {
  std::string_view prefix, group;
};

// The first match counts.
constexpr Prefix kGroups[] = {
    {"prof/catch.h", "matchers"},
    {"prof/gtest.h", "matchers"},
    {"prof/", "include/prof"},
    {"lib/format/", "lib/format"},
    {"lib/options/", "lib/options"},
    {"lib/capture/", "lib/capture"},
    {"lib/text/", "lib/text"},
    {"lib/symbols/", "lib/symbols"},
    {"lib/snapshot/", "lib/snapshot"},
    {"lib/analyzer/", "lib/analyzer"},
    {"lib/report/", "lib/report"},
    {"lib/eval/", "lib/eval"},
    {"lib/compare/", "lib/compare"},
    {"lib/ranks/", "lib/ranks"},
    {"lib/export/", "lib/export"},
    {"lib/html/", "lib/html"},
    {"lib/cli/", "lib/cli"},
    {"cupti_backend/metrics/metric_catalogue.h", "cupti_backend/metrics/metric_catalogue.h"},
    {"cupti_backend/", "cupti_backend"},
    {"nvtx_bridge/", "nvtx_bridge"},
    {"python/", "python"},
    {"nanobind/", "nanobind"},
    {"python_bridge/", "python_bridge"},
    {"native_bridge/", "native_bridge"},
    {"torch_bridge/", "torch_bridge"},
    {"nvtx3/", "nvtx3"},
    {"nvToolsExt", "nvtx3"},
    {"cupti", "cupti"},
    {"nvperf", "cupti"},
    {"generated_cuda", "cupti"},
    {"generated_nvtx", "cupti"},
    {"cuda", "cuda"},
    {"cublas", "cuda"},
    {"google/protobuf/", "protobuf"},
    {"absl/", "absl"},
    {"Eigen/", "eigen"},
    {"protozero/", "protozero"},
    {"nlohmann/", "nlohmann"},
    {"CLI/", "CLI"},
    {"sqlite3.h", "sqlite"},
    {"zlib.h", "zlib"},
    {"catch2/", "catch2"},
    {"gtest/", "gtest"},
    {"gmock/", "gtest"},
    {"elfutils/", "elfutils"},
    {"dwarf.h", "elfutils"},
    {"sys/", "system"},
    {"linux/", "system"},
    {"bits/", ""},
};

struct Wall {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

// The first match counts. The capture half goes into other people's programs, so it has no
// protobuf and no Abseil; the analyzer half runs anywhere, so it has no CUDA.
const std::vector<Wall>& Walls() {
  static const std::vector<Wall> walls = {
      {"include/prof/catch.h", {"std", "include/prof", "matchers", "catch2"}},
      {"include/prof/gtest.h", {"std", "include/prof", "matchers", "gtest"}},
      {"include/prof/", {"std", "include/prof"}},
      {"lib/format/", {"std", "include/prof", "lib/format"}},
      {"lib/options/", {"std", "system", "include/prof", "lib/options"}},
      {"lib/capture/",
       {"std", "system", "include/prof", "lib/format", "lib/options", "lib/capture", "protozero"}},
      {"nvtx_bridge/", {"std", "system", "include/prof", "lib/capture", "nvtx_bridge", "nvtx3"}},
      {"python_bridge/", {"std", "system", "include/prof", "lib/capture", "python_bridge"}},
      {"native_bridge/", {"std", "system", "include/prof", "lib/capture", "native_bridge"}},
      {"torch_bridge/", {"std", "system", "include/prof", "lib/capture", "torch_bridge"}},
      // Free of CUPTI, so that the program prof may include it.
      {"cupti_backend/metrics/metric_catalogue.h", {"std"}},
      {"cupti_backend/",
       {"std", "system", "include/prof", "lib/format", "lib/options", "lib/capture",
        "cupti_backend", "cupti_backend/metrics/metric_catalogue.h", "cupti", "cuda"}},
      {"lib/text/", {"std", "system", "lib/text"}},
      {"lib/symbols/", {"std", "system", "lib/symbols", "elfutils"}},
      {"lib/snapshot/",
       {"std", "system", "include/prof", "lib/format", "lib/text", "lib/symbols", "lib/snapshot",
        "protobuf", "absl"}},
      {"lib/analyzer/",
       {"std", "system", "include/prof", "lib/format", "lib/text", "lib/snapshot", "lib/analyzer",
        "absl", "eigen"}},
      {"lib/report/",
       {"std", "include/prof", "lib/format", "lib/text", "lib/snapshot", "lib/report", "nlohmann"}},
      {"lib/eval/",
       {"std", "include/prof", "lib/format", "lib/text", "lib/snapshot", "lib/analyzer", "lib/eval",
        "nlohmann"}},
      {"lib/compare/",
       {"std", "include/prof", "lib/text", "lib/report", "lib/compare", "nlohmann"}},
      {"lib/ranks/",
       {"std", "lib/text", "lib/snapshot", "lib/analyzer", "lib/report", "lib/ranks", "nlohmann"}},
      {"lib/export/",
       {"std", "include/prof", "lib/format", "lib/text", "lib/snapshot", "lib/analyzer",
        "lib/report", "lib/export", "sqlite", "zlib"}},
      {"lib/html/",
       {"std", "include/prof", "lib/format", "lib/text", "lib/snapshot", "lib/analyzer",
        "lib/report", "lib/html", "absl", "nlohmann", "zlib"}},
      // The one way from the program to CUPTI: a header without a type of it.
      {"lib/cli/metrics/",
       {"std", "system", "include/prof", "lib/text", "lib/report", "lib/cli",
        "cupti_backend/metrics/metric_catalogue.h", "nlohmann", "CLI"}},
      {"lib/cli/",
       {"std", "system", "include/prof", "lib/options", "lib/text", "lib/snapshot", "lib/analyzer",
        "lib/report", "lib/eval", "lib/compare", "lib/ranks", "lib/html", "lib/cli", "absl",
        "CLI"}},
      {"python/",
       {"std", "include/prof", "lib/options", "lib/report", "lib/export", "lib/html", "python",
        "absl", "nanobind"}},
      {"examples/",
       {"std", "beside", "include/prof", "matchers", "cuda", "nvtx3", "catch2", "gtest"}},
  };
  return walls;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

}  // namespace

std::string GroupOf(const Include& include) {
  const std::string_view path = include.path;
  if (EndsWith(path, ".pb.h")) return "protobuf";
  for (const Prefix& entry : kGroups) {
    if (StartsWith(path, entry.prefix)) return std::string(entry.group);
  }
  if (include.quoted && path.find('/') == std::string_view::npos) return "beside";
  if (include.quoted || path.find('/') != std::string_view::npos) return "";
  if (path.find('.') == std::string_view::npos) return "std";
  return EndsWith(path, ".h") ? "system" : "";
}

std::vector<std::string> WallRows() {
  std::vector<std::string> rows;
  for (const Wall& wall : Walls()) {
    const bool is_whole = EndsWith(wall.folder, "/") || EndsWith(wall.folder, ".h");
    std::string row = "| `" + std::string(wall.folder) + (is_whole ? "` | " : "*` | ");
    std::string_view comma;
    for (const std::string_view group : wall.may_include) {
      if (group == "std") continue;
      row.append(comma).append("`").append(group).append("`");
      comma = ", ";
    }
    rows.push_back(row + " |");
  }
  return rows;
}

std::vector<std::string> Violations(std::string_view path, std::string_view text) {
  const auto wall = std::find_if(Walls().begin(), Walls().end(),
                                 [&](const Wall& w) { return StartsWith(path, w.folder); });
  if (wall == Walls().end()) return {std::string(path) + " is in a folder that has no rule"};
  std::vector<std::string> violations;
  for (const Include& include : IncludesOf(text)) {
    std::string from_above = RoomViolation(path, include.path);
    if (!from_above.empty()) violations.push_back(std::move(from_above));
    const std::string group = GroupOf(include);
    const auto& may = wall->may_include;
    if (std::find(may.begin(), may.end(), group) != may.end()) continue;
    violations.push_back(std::string(path) + " must not include " + include.path +
                         (group.empty() ? " (unknown)" : " (" + group + ")"));
  }
  return violations;
}

}  // namespace prof::walls
