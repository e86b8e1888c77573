// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/kernel_lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/report/base/kernel_text.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr size_t kMostWords = 3;

// The identifiers in a name: "vectorized<4, Add<float>>" has "vectorized", "4", "Add", "float".
std::vector<std::string> Words(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const bool part =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (part) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Adds to kernels of one short name the words of their full names that fewest others have.
void TellApart(const std::vector<KernelLine*>& same) {
  if (same.size() < 2) return;
  std::map<std::string, size_t> count;  // of kernels that have the word
  for (const KernelLine* const line : same) {
    const std::vector<std::string> words = Words(line->main().full_name);
    for (const std::string& word : std::set<std::string>(words.begin(), words.end())) ++count[word];
  }
  for (KernelLine* const line : same) {
    std::vector<std::string> rare;
    for (std::string& word : Words(line->main().full_name)) {
      const bool listed = std::find(rare.begin(), rare.end(), word) != rare.end();
      if (count[word] < same.size() && !listed) rare.push_back(std::move(word));
    }
    std::stable_sort(rare.begin(), rare.end(), [&](const std::string& a, const std::string& b) {
      return count[a] < count[b];
    });
    if (rare.empty()) continue;
    rare.resize(std::min(rare.size(), kMostWords));
    line->name += "<";
    for (size_t i = 0; i < rare.size(); ++i) line->name += (i > 0 ? " " : "") + rare[i];
    line->name += ">";
  }
}

double KeyOf(const KernelLine& line, SortBy sort) {
  switch (sort) {
    case SortBy::kCalls:
      return static_cast<double>(line.launches);
    case SortBy::kAverage:
      return line.average_ns();
    case SortBy::kGain:
      return line.gain_at_most_ns;
    default:
      return line.total_ns;
  }
}

std::string UnitName(Unit unit) {
  switch (unit) {
    case Unit::kDram:
      return "DRAM";
    case Unit::kFma:
      return "FMA";
    case Unit::kAlu:
      return "ALU";
    case Unit::kSfu:
      return "SFU";
    case Unit::kLsu:
      return "LSU";
    case Unit::kFp64:
      return "FP64";
    case Unit::kL2:
      return "L2";
    case Unit::kL1:
      return "L1";
    default:
      return ToString(unit);
  }
}

// "DRAM 76"; empty: fewer units were measured.
std::string BusyUnit(const KernelReport& kernel, size_t place) {
  if (place >= kernel.units.size()) return "";
  const UnitUse& use = kernel.units[place];
  return UnitName(use.unit) + " " + PercentCell(std::optional<double>(use.of_peak));
}

std::string Waves(const KernelReport& kernel) {
  if (!kernel.occupancy.known) return "";
  return text::Grouped(kernel.occupancy.waves, kernel.occupancy.waves < 10 ? 2 : 0) + " waves";
}

std::string Occupied(const KernelReport& kernel) {
  if (!kernel.occupancy.known) return "";
  return "occ. " + text::ShortPercent(kernel.occupancy.theoretical);
}

}  // namespace

double KernelLine::average_ns() const {
  return launches > 0 ? total_ns / static_cast<double>(launches) : 0;
}

TwoNumbers NumbersOf(const KernelReport& kernel) {
  TwoNumbers numbers{BusyUnit(kernel, 0), BusyUnit(kernel, 1)};
  std::string decisive;
  switch (kernel.verdict.limiter) {
    case Limiter::kSmallGrid:
    case Limiter::kTail:
    case Limiter::kLaunchSized:
      decisive = Waves(kernel);
      break;
    case Limiter::kOccupancy:
      decisive = Occupied(kernel);
      break;
    default:
      return numbers;
  }
  return decisive.empty() ? TwoNumbers{numbers.first, ""} : TwoNumbers{decisive, numbers.first};
}

std::vector<KernelLine> KernelLines(const Report& report, SortBy sort) {
  std::vector<KernelLine> lines;
  std::map<std::pair<uint32_t, std::string>, size_t> known;
  for (const KernelReport& kernel : report.kernels) {  // by time
    const auto [it, added] = known.try_emplace({kernel.device, kernel.full_name}, lines.size());
    if (added) lines.emplace_back().name = kernel.name;
    KernelLine& line = lines[it->second];
    line.signatures.push_back(&kernel);
    line.total_ns += kernel.total_ns;
    line.busy_ns += kernel.busy_ns;
    line.launches += kernel.launches;
    line.share += kernel.share;
    line.gain_at_most_ns += kernel.verdict.gain_at_most * kernel.busy_ns;
    const bool other = kernel.verdict.limiter != line.main().verdict.limiter;
    if (other) ++line.other_limiters;
  }
  std::map<std::pair<uint32_t, std::string>, std::vector<KernelLine*>> same;
  for (KernelLine& line : lines) same[{line.main().device, line.main().name}].push_back(&line);
  for (const auto& [name, kernels] : same) TellApart(kernels);
  std::stable_sort(lines.begin(), lines.end(), [&](const KernelLine& a, const KernelLine& b) {
    if (sort == SortBy::kName) return a.name < b.name;
    return KeyOf(a, sort) > KeyOf(b, sort);
  });
  return lines;
}

}  // namespace prof::report
