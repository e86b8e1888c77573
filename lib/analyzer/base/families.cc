// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/families.h"

#include <cctype>
#include <map>
#include <set>
#include <utility>

namespace prof::analyzer {
namespace {

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// A name as the text around its numbers, and the numbers.
struct Pattern {
  std::string text;  // numbers as '\x01', which hardly any name holds
  std::vector<std::string> numbers;
};

Pattern Split(const std::string& name) {
  Pattern pattern;
  for (size_t i = 0; i < name.size();) {
    if (!IsDigit(name[i])) {
      pattern.text += name[i++];
      continue;
    }
    const size_t begin = i;
    while (i < name.size() && IsDigit(name[i])) ++i;
    pattern.text += '\x01';
    pattern.numbers.push_back(name.substr(begin, i - begin));
  }
  return pattern;
}

std::string Label(const std::vector<Pattern>& members) {
  const Pattern& first = members.front();
  std::string label;
  size_t number = 0;
  for (const char c : first.text) {
    if (c != '\x01' || number >= first.numbers.size()) {
      label += c;
      continue;
    }
    bool same = true;
    for (const Pattern& member : members) {
      same &= member.numbers[number] == first.numbers[number];
    }
    label += same ? first.numbers[number] : "*";
    ++number;
  }
  return label + " (" + std::to_string(members.size()) + " ranges)";
}

}  // namespace

RangeFamilies FindRangeFamilies(const model::Model& model) {
  RangeFamilies families;
  families.of_path.resize(model.paths.size());
  families.label.resize(model.paths.size());
  // Only paths in which something ran count: a parent is no member of its children's family. It
  // has a family of its own where its counters were read as a whole.
  std::vector<bool> used(model.paths.size());
  for (const model::Op& op : model.ops) used[op.path] = true;
  std::set<std::string> counted;
  for (const model::CounterSample& sample : model.samples) {
    if (sample.unit != model::SampleUnit::kRange) continue;
    counted.insert(Split(model.paths[sample.path].full).text);
  }

  struct Family {
    std::vector<uint32_t> paths;
    std::vector<Pattern> patterns;
  };
  std::map<std::string, Family> by_text;
  for (uint32_t path = 0; path < model.paths.size(); ++path) {
    families.of_path[path] = path;
    families.label[path] = model.paths[path].full;
    if (path == 0 || (!used[path] && counted.empty())) continue;
    Pattern pattern = Split(model.paths[path].full);
    if (pattern.numbers.empty() || (!used[path] && counted.count(pattern.text) == 0)) continue;
    Family& family = by_text[pattern.text];
    family.paths.push_back(path);
    family.patterns.push_back(std::move(pattern));
  }
  for (const auto& [text, family] : by_text) {
    if (family.paths.size() < kMinFamily) continue;
    const uint32_t first = family.paths.front();
    for (const uint32_t path : family.paths) families.of_path[path] = first;
    families.label[first] = Label(family.patterns);
  }
  return families;
}

}  // namespace prof::analyzer
