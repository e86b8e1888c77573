// SPDX-License-Identifier: Apache-2.0
#include "test/walls/rooms.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace prof::walls {
namespace {

// The level of a path within a part: the place of its room, or one above all of them for a file in
// the part's own folder. Nothing for a path outside of the part.
std::optional<size_t> LevelOf(const Part& part, std::string_view path) {
  const size_t length = part.folder.size();
  if (path.substr(0, length) != part.folder || path.substr(length, 1) != "/") return std::nullopt;
  const std::string_view rest = path.substr(length + 1);
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return part.rooms.size();
  const auto room = std::find(part.rooms.begin(), part.rooms.end(), rest.substr(0, slash));
  return static_cast<size_t>(room - part.rooms.begin()) + (room == part.rooms.end() ? 1 : 0);
}

}  // namespace

const std::vector<Part>& Parts() {
  static const std::vector<Part> parts = {
      {"lib/capture", {"process", "events", "threads", "windows", "wire", "collector", "control"}},
      {"cupti_backend",
       {"api", "calls", "code", "metrics", "schedule", "activity", "pm", "sampling"}},
      {"lib/snapshot", {"model", "join", "decode", "read"}},
      {"lib/analyzer",
       {"base", "timeline", "memory", "kernels", "steps", "continuous", "regions", "rules",
        "findings"}},
      {"lib/report", {"base", "json", "text"}},
      {"lib/compare", {"base"}},
      {"lib/export", {"base", "writers"}},
      {"lib/cli", {"base", "help", "compare", "metrics", "doctor", "report", "run"}},
  };
  return parts;
}

std::string OrderOf(const Part& part) {
  std::string order;
  for (const std::string_view room : part.rooms) {
    if (!order.empty()) order += " < ";
    order += room;
  }
  return order;
}

std::string RoomViolation(std::string_view path, std::string_view include) {
  for (const Part& part : Parts()) {
    const std::optional<size_t> from = LevelOf(part, path), to = LevelOf(part, include);
    if (!from || !to) continue;
    if (*from > part.rooms.size()) return std::string(path) + " is in a room that has no rule";
    if (*to > *from) {
      return std::string(path) + " must not include " + std::string(include) +
             ", which is in a room above it";
    }
  }
  return "";
}

}  // namespace prof::walls
