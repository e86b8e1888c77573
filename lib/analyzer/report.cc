// SPDX-License-Identifier: Apache-2.0
#include "prof/report.h"

#include <algorithm>
#include <cctype>
#include <list>
#include <mutex>
#include <utility>

namespace prof {
namespace {

using Kernels = std::vector<const KernelReport*>;

template <typename Accepts>
Kernels KernelsThat(const Report& report, const Accepts& accepts) {
  Kernels found;
  for (const KernelReport& kernel : report.kernels) {
    if (accepts(kernel)) found.push_back(&kernel);
  }
  std::stable_sort(found.begin(), found.end(), [](const KernelReport* a, const KernelReport* b) {
    return a->total_ns > b->total_ns;
  });
  return found;
}

Kernels KernelsNamed(const Report& report, std::string_view name, Match match) {
  if (name.empty()) return {};
  const auto with = [&](std::string KernelReport::*field) {
    return KernelsThat(report, [&](const KernelReport& kernel) {
      const std::string& text = kernel.*field;
      return match == Match::kExact ? text == name : text.find(name) != std::string::npos;
    });
  };
  Kernels found = with(&KernelReport::name);
  return found.empty() ? with(&KernelReport::full_name) : found;  // "saxpy<float>"
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "layer */mlp (8 ranges)" is a family: the label without its count, each star for a number.
std::string_view WithoutCount(std::string_view label) {
  constexpr std::string_view kEnd = " ranges)";
  if (label.size() < kEnd.size() || label.substr(label.size() - kEnd.size()) != kEnd) return label;
  size_t at = label.size() - kEnd.size();
  while (at > 0 && IsDigit(label[at - 1])) --at;
  const bool counted = at >= 2 && label[at - 1] == '(' && label[at - 2] == ' ';
  return counted ? label.substr(0, at - 2) : label;
}

bool IsOfFamily(std::string_view family, std::string_view range) {
  size_t at = 0;
  for (const char c : family) {
    if (c == '*' && at < range.size() && IsDigit(range[at])) {
      while (at < range.size() && IsDigit(range[at])) ++at;
    } else if (at < range.size() && range[at] == c) {
      ++at;
    } else {
      return false;
    }
  }
  return at == range.size();
}

// By the label of a row, or the range of a kernel.
bool IsRange(std::string_view label, std::string_view range) {
  if (label == range) return true;
  const std::string_view family = WithoutCount(label);
  return family != label && (family == range || IsOfFamily(family, range));
}

// "there are saxpy, reduce and 3 more"
std::string NamesIn(const Report& report) {
  std::vector<std::string> names;
  for (const KernelReport& kernel : report.kernels) {
    if (std::find(names.begin(), names.end(), kernel.name) == names.end()) {
      names.push_back(kernel.name);
    }
  }
  constexpr size_t kMost = 20;
  std::string text = names.empty() ? "no kernel was recorded" : "there are ";
  for (size_t i = 0; i < names.size() && i < kMost; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

// Why no kernel was found. A range of that name is the most likely mistake.
std::string WhyMissing(const Report& report, std::string_view name, Match match) {
  const std::string quoted = '"' + std::string(name) + '"';
  std::string text = name.empty()             ? "an empty name is no kernel's; "
                     : match == Match::kExact ? "no kernel has the name " + quoted + "; "
                                              : "no kernel has " + quoted + " in its name; ";
  if (!report.error.empty()) return text + "the recording could not be read: " + report.error;
  for (const RangeRow& row : report.rows) {
    const bool range = row.kind == RangeRow::Kind::kRange && !name.empty() &&
                       row.label.find(name) != std::string::npos;
    if (range) return text + "a range has it: row(\"" + row.label + "\"); " + NamesIn(report);
  }
  return text + NamesIn(report);
}

}  // namespace

struct MissingKernels::Answers {
  std::mutex mutex;
  std::list<KernelReport> kernels;  // an entry never moves
};

MissingKernels::MissingKernels() : answers_(std::make_shared<Answers>()) {}

const KernelReport& MissingKernels::Get(std::string_view name, const std::string& reason) const {
  const std::lock_guard<std::mutex> lock(answers_->mutex);
  for (const KernelReport& known : answers_->kernels) {
    if (known.name == name && known.verdict.missing == reason) return known;
  }
  KernelReport& missing = answers_->kernels.emplace_back();
  missing.name = std::string(name);
  missing.verdict.missing = reason;
  return missing;
}

KernelReport Report::kernel(std::string_view name, Match match) && {
  return std::as_const(*this).kernel(name, match);
}

const KernelReport& Report::kernel(std::string_view name, Match match) const& {
  const Kernels found = KernelsNamed(*this, name, match);
  if (!found.empty()) return *found.front();
  return missing_kernels.Get(name, WhyMissing(*this, name, match));
}

Kernels Report::kernels_named(std::string_view name, Match match) const& {
  return KernelsNamed(*this, name, match);
}

Kernels Report::kernels_in(std::string_view range) const& {
  return KernelsThat(*this,
                     [&](const KernelReport& kernel) { return IsRange(kernel.range, range); });
}

const RangeRow* Report::row(std::string_view range) const& {
  const auto find = [&](const auto& accepts) -> const RangeRow* {
    for (const RangeRow& row : rows) {
      if (row.kind == RangeRow::Kind::kRange && accepts(row)) return &row;
    }
    return nullptr;
  };
  const RangeRow* const same = find([&](const RangeRow& row) { return row.label == range; });
  return same != nullptr ? same
                         : find([&](const RangeRow& row) { return IsRange(row.label, range); });
}

}  // namespace prof
