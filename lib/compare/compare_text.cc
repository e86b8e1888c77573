// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/compare_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "lib/compare/base/sample.h"
#include "lib/compare/normalize.h"
#include "lib/compare/work.h"
#include "lib/report/base/table.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof {
namespace {

using report::Align;
using report::Row;
using report::Table;

std::string VerdictText(const Compared& compared) {
  return compared.tested ? ToString(compared.change) : "-";
}

std::string ModesText(const char* side, const std::optional<Modes>& modes) {
  if (!modes) return "";
  return std::string(side) + " has two modes: " + text::Time(modes->low) + " and " +
         text::Time(modes->high) + " (" + text::ShortPercent(modes->share_of_high) +
         " of the values)";
}

std::string NoiseText(const Compared& compared) {
  if (!compared.noise) return "no noise known";
  return "noise " + text::Percent(*compared.noise) + " (" + compared.noise_from + "), threshold " +
         text::Percent(compared.threshold);
}

// A note that stands under several rows is printed once, under the table, and has a number there.
constexpr int kOftenEnough = 3;
constexpr std::string_view kBullet = "- ";  // of what explains a change

std::vector<std::string> TakeCommonNotes(std::vector<Row>* rows) {
  std::map<std::string, int> counts;
  for (const Row& row : *rows) {
    for (const std::string& note : row.notes) ++counts[note];
  }
  std::vector<std::string> common;
  for (Row& row : *rows) {
    std::vector<std::string> own;
    std::string numbers;
    for (std::string& note : row.notes) {
      if (counts[note] < kOftenEnough) {
        own.push_back(std::move(note));
        continue;
      }
      auto at = std::find(common.begin(), common.end(), note);
      if (at == common.end()) at = common.insert(common.end(), note);
      numbers += (numbers.empty() ? "[" : " [") + std::to_string(at - common.begin() + 1) + "]";
    }
    if (!numbers.empty()) row.cells.back() += " " + numbers;
    row.notes = std::move(own);
  }
  return common;
}

void WriteWithNotes(std::ostream& out, Table table, int width) {
  const std::vector<std::string> common = TakeCommonNotes(&table.rows);
  WriteTable(out, table, width, false);
  for (size_t i = 0; i < common.size(); ++i) {
    const bool has_bullet = text::StartsWith(common[i], kBullet);
    report::WriteParagraph(out, "[" + std::to_string(i + 1) + "] ",
                           common[i].substr(has_bullet ? kBullet.size() : 0), width);
  }
}

constexpr double kSameLaunches = 0.01;  // [own] of the launches before

// After over before; 1 where one side has none.
double LaunchRatio(const KernelChange& kernel) {
  const bool both = kernel.launches_before > 0 && kernel.launches_after > 0;
  return both ? kernel.launches_after / kernel.launches_before : 1;
}

// A time of a launch does not show that a kernel is launched more often.
bool LaunchesDiffer(const KernelChange& kernel, double from = 1) {
  return std::abs(LaunchRatio(kernel) / from - 1) > kSameLaunches;
}

// The median over the kernels of both sides: runs of a fixed time differ by it everywhere.
double CommonLaunchRatio(const Comparison& comparison) {
  std::vector<double> ratios;
  for (const KernelChange& kernel : comparison.kernels) {
    if (kernel.launches_before > 0 && kernel.launches_after > 0) {
      ratios.push_back(LaunchRatio(kernel));
    }
  }
  return ratios.empty() ? 1 : compare::Median(ratios);
}

std::string LaunchesText(const KernelChange& kernel) {
  return "launched " + text::Fixed(kernel.launches_before, 0) + " times before, " +
         text::Fixed(kernel.launches_after, 0) + " after (" + text::Fixed(LaunchRatio(kernel), 3) +
         " times); all of them " + text::Time(kernel.total_before_ns) + " before, " +
         text::Time(kernel.total_after_ns) + " after";
}

// Some runs have none of it, and others a part of the time that is worth a row.
bool AppearsOrGoes(const Compared& c) {
  return c.before.n > 0 && c.after.n > 0 && !std::isfinite(c.ratio.value) &&
         (c.before.median > 0 || c.after.median > 0);
}

bool IsShown(const KernelChange& kernel, double common_ratio, bool all) {
  if (all) return true;
  if (kernel.matched == Matched::kSame && LaunchesDiffer(kernel, common_ratio)) return true;
  if (kernel.matched == Matched::kRenamed || kernel.matched == Matched::kMoved) return true;
  if (compare::IsOtherWork(kernel.work.change)) return true;
  if (!kernel.time.tested) {
    return kernel.time.before.n == 0 || kernel.time.after.n == 0 ||
           kernel.matched == Matched::kRelaunched;
  }
  return kernel.time.change != Change::kSame;
}

std::string MatchText(const KernelChange& kernel) {
  return kernel.matched == Matched::kSame ? "" : ToString(kernel.matched);
}

std::string WorkCell(const KernelChange& kernel) {
  return kernel.work.change == WorkChange::kNotMeasured ? "-" : ToString(kernel.work.change);
}

// `with_work`: the work of any kernel is known.
Row KernelRow(const KernelChange& kernel, bool with_work) {
  const std::string cycles =
      kernel.cycles ? text::Fixed(kernel.cycles->ratio.value, 3) : std::string("-");
  return {{kernel.name, kernel.range.empty() ? "(no range)" : kernel.range,
           text::Time(kernel.time.before.median), text::Time(kernel.time.after.median),
           compare::RatioText(kernel.time), cycles, with_work ? WorkCell(kernel) : "",
           MatchText(kernel), VerdictText(kernel.time)},
          false,
          compare::NotesOn(kernel)};
}

void WriteKernels(std::ostream& out, const Comparison& comparison, int width, bool all) {
  Table table;
  table.columns = {{"kernel", Align::kLeft, 16},
                   {"range", Align::kLeft, 10},
                   {"before", Align::kRight},
                   {"after", Align::kRight},
                   {"after/before (interval)", Align::kRight},
                   {"cycles", Align::kRight, 0, 1},
                   {"work", Align::kLeft},
                   {"match", Align::kLeft},
                   {"verdict", Align::kLeft}};
  const double common_ratio = CommonLaunchRatio(comparison);
  const bool with_work = std::any_of(
      comparison.kernels.begin(), comparison.kernels.end(),
      [](const KernelChange& kernel) { return kernel.work.change != WorkChange::kNotMeasured; });
  for (const KernelChange& kernel : comparison.kernels) {
    if (IsShown(kernel, common_ratio, all)) table.rows.push_back(KernelRow(kernel, with_work));
  }
  out << "\nKernels: median duration of a launch, median over the runs\n";
  if (!table.rows.empty()) WriteWithNotes(out, table, width);
  const size_t hidden = comparison.kernels.size() - table.rows.size();
  if (hidden > 0) {
    out << text::Plural(static_cast<int64_t>(hidden), "kernel is", "kernels are")
        << " the same, or too small to test; --all shows them\n";
  }
}

std::vector<std::string> NotesOnRun(const Compared& compared) {
  std::vector<std::string> notes;
  if (compared.tested && compared.change != Change::kSame) {
    notes.push_back(compared.why);
    if (compared.ratio.is_interval) notes.push_back(NoiseText(compared));
  } else if (compared.before.n == 0 || compared.after.n == 0 || AppearsOrGoes(compared)) {
    notes.push_back(compared.why);
  }
  for (const std::string& modes :
       {ModesText("before", compared.modes_before), ModesText("after", compared.modes_after)}) {
    if (!modes.empty()) notes.push_back(modes);
  }
  for (const std::string& line : compared.explanation) {
    notes.push_back(std::string(kBullet) + line);
  }
  return notes;
}

void WriteRun(std::ostream& out, const Comparison& comparison, int width, bool all) {
  Table table;
  table.columns = {{"run", Align::kLeft, 16},
                   {"before", Align::kRight},
                   {"after", Align::kRight},
                   {"after/before (interval)", Align::kRight},
                   {"verdict", Align::kLeft}};
  for (const Compared& c : comparison.run) {
    if (!all && !c.tested && !AppearsOrGoes(c)) continue;
    table.rows.push_back({{c.name, text::Time(c.before.median), text::Time(c.after.median),
                           compare::RatioText(c), VerdictText(c)},
                          false,
                          NotesOnRun(c)});
  }
  out << "\nThe run: span, busy and idle time, ranges; median over the runs\n";
  WriteWithNotes(out, table, width);
}

}  // namespace

std::string compare::CountText(const Comparison& comparison) {
  std::array<int64_t, 4> counts{};
  const auto count = [&](const Compared& c) {
    if (c.tested) ++counts.at(static_cast<size_t>(c.change));
  };
  for (const KernelChange& kernel : comparison.kernels) count(kernel.time);
  for (const Compared& compared : comparison.run) count(compared);
  std::vector<std::string> parts;
  for (const Change change :
       {Change::kSlower, Change::kFaster, Change::kInconclusive, Change::kSame}) {
    const int64_t n = counts.at(static_cast<size_t>(change));
    if (n > 0) parts.push_back(text::Count(n) + " " + ToString(change));
  }
  return parts.empty() ? "nothing was tested" : text::Join(parts, ", ");
}

std::vector<std::string> compare::NotesOn(const KernelChange& kernel) {
  std::vector<std::string> notes;
  const Compared& time = kernel.time;
  if (!kernel.match_why.empty()) {
    notes.push_back(std::string("match (confidence ") + ToString(kernel.confidence) +
                    "): " + kernel.match_why);
  }
  if (kernel.normalized) notes.push_back(NormalizationText(*kernel.normalized));
  if (time.tested) {
    notes.push_back(time.why);
    if (time.change == Change::kSame || time.ratio.is_interval) notes.push_back(NoiseText(time));
  } else {
    notes.push_back(time.why);
  }
  if (LaunchesDiffer(kernel)) notes.push_back(LaunchesText(kernel));
  for (const std::string& modes :
       {ModesText("before", time.modes_before), ModesText("after", time.modes_after)}) {
    if (!modes.empty()) notes.push_back(modes);
  }
  const bool is_same = !time.tested || time.change == Change::kSame;
  if (is_same && !IsOtherWork(kernel.work.change)) return notes;
  for (const std::string& line : kernel.explanation) notes.push_back(std::string(kBullet) + line);
  return notes;
}

std::string compare::RatioText(const Compared& compared) {
  if (!std::isfinite(compared.ratio.value)) return "-";
  std::string text = text::Fixed(compared.ratio.value, 3);
  if (compared.ratio.is_interval) {
    text += " (" + text::Fixed(compared.ratio.low, 3) + " to " +
            text::Fixed(compared.ratio.high, 3) + ")";
  }
  return text;
}

void WriteComparison(std::ostream& out, const Comparison& comparison, int width, bool all) {
  if (!comparison.error.empty()) {
    out << "No comparison: " << comparison.error << '\n';
    return;
  }
  report::WriteParagraph(out, "before: ", comparison.before, width);
  report::WriteParagraph(out, "after:  ", comparison.after, width);
  std::string result = compare::CountText(comparison);
  const int needed = comparison.runs_needed();
  if (needed > kMostRuns)
    result += "; for some more than " + std::to_string(kMostRuns) + " runs would be needed";
  if (needed > 0 && needed <= kMostRuns) {
    result += "; " + std::to_string(needed) + " runs of each side would decide all";
  }
  report::WriteParagraph(out, "result: ", result, width);
  const std::string work = compare::WorkCountText(comparison);
  if (!work.empty()) report::WriteParagraph(out, "work:   ", work + ", by exact counters", width);
  for (const std::string& note : comparison.notes) {
    report::WriteParagraph(out, "note:   ", note, width);
  }
  WriteKernels(out, comparison, width, all);
  WriteRun(out, comparison, width, all);
}

std::ostream& operator<<(std::ostream& out, const Comparison& comparison) {
  WriteComparison(out, comparison);
  return out;
}

}  // namespace prof
