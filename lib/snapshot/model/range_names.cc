// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/range_names.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "lib/format/name_pattern.h"

namespace prof::model {
namespace {

constexpr char kMore[] = "...";

std::string Hex(uint64_t value, size_t digits, bool upper) {
  const char* const letters = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string text(digits, '0');
  for (size_t i = digits; i > 0; --i, value >>= 4) text[i - 1] = letters[value & 15U];
  return text;
}

// The numbers of the latest range of `path` that began on `thread` at `time_ns` or before. They are
// looked for among this many entries: deeper ranges have numbers as well.
std::vector<RangeNumber> NumbersAt(const Model& model, uint32_t path, uint32_t thread,
                                   int64_t time_ns) {
  constexpr ptrdiff_t kMostEntries = 100'000;
  const std::vector<RangeNumber>& all = model.range_numbers;
  auto end = std::upper_bound(all.begin(), all.end(), std::tuple(thread, time_ns),
                              [](const auto& key, const RangeNumber& entry) {
                                return key < std::tuple(entry.thread, entry.time_ns);
                              });
  const auto first = end - std::min(end - all.begin(), kMostEntries);
  while (end != first && (end[-1].path != path || end[-1].thread != thread)) --end;
  auto begin = end;
  while (begin != first && begin[-1].path == path && begin[-1].thread == thread &&
         begin[-1].time_ns == end[-1].time_ns) {
    --begin;
  }
  return {begin, end};
}

// The name of `path`, with `numbers` for the first of its stars.
std::string Unfolded(const RangePath& path, const std::vector<RangeNumber>& numbers) {
  std::string name;
  size_t at = 0;
  for (size_t i = 0; i < path.stars.size() && i < numbers.size(); ++i) {
    name.append(path.name, at, path.stars[i] - at);
    name += NumberText(numbers[i].value, numbers[i].style);
    at = path.stars[i] + 1;
  }
  return name.append(path.name, at);
}

}  // namespace

std::string NumberText(uint64_t value, uint32_t style) {
  const format::NameNumber number = format::FromStyle(value, style);
  if (number.form == format::NumberForm::kDecimal) {
    const std::string text = std::to_string(value);
    const size_t digits = std::min<size_t>(number.digits, format::kMostDecimalDigits);
    const std::string zeros(digits > text.size() ? digits - text.size() : 0, '0');
    return zeros + text + (number.digits > format::kMostDecimalDigits ? kMore : "");
  }
  const size_t digits = std::min<size_t>(number.digits, format::kMostHexDigits);
  std::string text = Hex(value, digits, number.form == format::NumberForm::kUpperHex);
  if (number.form == format::NumberForm::kUuid && digits == format::kMostHexDigits) {
    text.insert(12, 1, '-').insert(8, 1, '-');
    return text + "-" + kMore;
  }
  return text + (number.digits > format::kMostHexDigits ? kMore : "");
}

std::string InstanceName(const Model& model, uint32_t path, uint32_t thread, int64_t time_ns) {
  std::vector<uint32_t> nodes;
  bool folded = false;
  for (uint32_t node = path; node != kNone; node = model.paths[node].parent) {
    if (model.paths[node].captured != kNone) return model.paths[path].full;  // made by the reader
    nodes.push_back(node);
    folded |= !model.paths[node].stars.empty();
  }
  if (!folded) return model.paths[path].full;
  std::string name;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const RangePath& range = model.paths[*node];
    if (range.parent != kNone) name += '/';
    if (!range.domain.empty() && range.domain != model.paths[range.parent].domain) {
      name += range.domain + ':';
    }
    name += range.stars.empty() ? range.name
                                : Unfolded(range, NumbersAt(model, *node, thread, time_ns));
  }
  return name;
}

std::string OwnName(const Model& model, uint32_t path, uint32_t thread, int64_t time_ns) {
  const RangePath& range = model.paths[path];
  if (range.stars.empty() || range.captured != kNone) return range.name;
  return Unfolded(range, NumbersAt(model, path, thread, time_ns));
}

}  // namespace prof::model
