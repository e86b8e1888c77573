// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/families.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "lib/analyzer/base/emit_nvtx.h"
#include "lib/format/name_pattern.h"

namespace prof::analyzer {
namespace {

constexpr char kAnyNumber[] = "*";

// A name as the text around its numbers, and the numbers.
struct Pattern {
  std::string text;  // with format::kNumberMark for numbers
  std::vector<std::string> numbers;
  bool cut = false;  // a name had more behind it, of emit_nvtx
};

void AddText(std::string_view text, Pattern* pattern) {
  format::NameReader reader(text);
  while (!reader.done()) {
    const format::NamePiece piece = reader.Next();
    if (piece.is_number) {
      pattern->text += format::kNumberMark;
      pattern->numbers.emplace_back(piece.text);
    } else {
      pattern->text += piece.text;
    }
  }
}

// The name of a path that stands for a family: its stars are numbers, and nothing else is.
void AddFolded(const model::RangePath& path, size_t size, Pattern* pattern) {
  size_t at = 0;
  for (const uint32_t star : path.stars) {
    if (star >= size) break;
    pattern->text.append(path.name, at, star - at);
    pattern->text += format::kNumberMark;
    pattern->numbers.emplace_back(kAnyNumber);
    at = star + 1;
  }
  pattern->text.append(path.name, at, size - at);
}

// Splits RangePath::full, which has the names of the path and of those around it.
void AddPath(const model::Model& model, uint32_t id, Pattern* pattern) {
  std::vector<uint32_t> nodes;
  for (; id != model::kNone; id = model.paths[id].parent) nodes.push_back(id);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const model::RangePath& path = model.paths[*node];
    if (path.captured != model::kNone) {
      if (path.parent == model::kNone) pattern->text += "(no range)";
      pattern->text += model::kCapturedIn;
      AddPath(model, path.captured, pattern);
      continue;
    }
    if (path.parent != model::kNone) pattern->text += '/';
    if (!path.domain.empty() && path.domain != model.paths[path.parent].domain) {
      AddText(path.domain, pattern);
      pattern->text += ':';
    }
    const size_t size = OpNameSize(path.name);
    pattern->cut |= size < path.name.size();
    if (path.stars.empty()) {
      AddText(std::string_view(path.name).substr(0, size), pattern);
    } else {
      AddFolded(path, size, pattern);
    }
  }
}

Pattern PatternOf(const model::Model& model, uint32_t path) {
  Pattern pattern;
  AddPath(model, path, &pattern);
  return pattern;
}

// The number of times that each path was opened; empty when no path stands for a family.
std::vector<uint64_t> CountInstances(const model::Model& model) {
  const bool folded = std::any_of(model.paths.begin(), model.paths.end(),
                                  [](const model::RangePath& path) { return !path.stars.empty(); });
  if (!folded) return {};
  std::vector<uint64_t> instances(model.paths.size());
  for (const model::RangeInstance& instance : model.instances) ++instances[instance.path];
  return instances;
}

struct Family {
  std::vector<uint32_t> paths;
  std::vector<Pattern> patterns;
  bool folded = false;  // one of its paths stands for many
};

// "8 ranges". The ranges of a folded path are not told apart: their instances are counted.
std::string CountText(const Family& family, const std::vector<uint64_t>& instances) {
  if (!family.folded) return std::to_string(family.paths.size()) + " ranges";
  uint64_t count = 0;
  for (const uint32_t path : family.paths) count += instances[path];
  return std::to_string(count) + " instances";
}

std::string Label(const Family& family, const std::vector<uint64_t>& instances) {
  const Pattern& first = family.patterns.front();
  std::string label;
  size_t number = 0;
  for (const char c : first.text) {
    if (c != format::kNumberMark || number >= first.numbers.size()) {
      label += c;
      continue;
    }
    const bool same =
        std::all_of(family.patterns.begin(), family.patterns.end(), [&](const Pattern& member) {
          return number < member.numbers.size() && member.numbers[number] == first.numbers[number];
        });
    label += same ? first.numbers[number] : kAnyNumber;
    ++number;
  }
  return label + " (" + CountText(family, instances) + ")";
}

bool IsFolded(const model::Model& model, uint32_t path) {
  for (; path != model::kNone; path = model.paths[path].parent) {
    if (!model.paths[path].stars.empty()) return true;
  }
  return false;
}

// Of the paths that are `used`, and of those whose pattern is in `counted`.
RangeFamilies FindFamilies(const model::Model& model, const std::vector<bool>& used,
                           const std::set<std::string>& counted) {
  RangeFamilies families;
  families.of_path.resize(model.paths.size());
  families.label.resize(model.paths.size());
  std::map<std::string, Family> by_text;
  for (uint32_t path = 0; path < model.paths.size(); ++path) {
    families.of_path[path] = path;
    families.label[path] = model.paths[path].full;
    if (path == 0 || (!used[path] && counted.empty())) continue;
    Pattern pattern = PatternOf(model, path);
    if ((pattern.numbers.empty() && !pattern.cut) ||
        (!used[path] && counted.count(pattern.text) == 0))
      continue;
    Family& family = by_text[pattern.text];
    family.paths.push_back(path);
    family.patterns.push_back(std::move(pattern));
    family.folded |= IsFolded(model, path);
  }
  const std::vector<uint64_t> instances = CountInstances(model);
  for (const auto& [text, family] : by_text) {
    if (family.paths.size() < kMinFamily && !family.folded) continue;
    const uint32_t first = family.paths.front();
    for (const uint32_t path : family.paths) families.of_path[path] = first;
    families.label[first] = Label(family, instances);
  }
  return families;
}

}  // namespace

RangeFamilies FindRangeFamilies(const model::Model& model) {
  // Only paths in which something ran count: a parent is no member of its children's family. It
  // has a family of its own where its counters were read as a whole.
  std::vector<bool> used(model.paths.size());
  for (const model::Op& op : model.ops) used[op.path] = true;
  std::set<std::string> counted;
  for (const model::CounterSample& sample : model.samples) {
    if (sample.unit != model::SampleUnit::kRange) continue;
    counted.insert(PatternOf(model, sample.path).text);
  }
  return FindFamilies(model, used, counted);
}

RangeFamilies FindAllRangeFamilies(const model::Model& model) {
  return FindFamilies(model, std::vector<bool>(model.paths.size(), true), {});
}

}  // namespace prof::analyzer
