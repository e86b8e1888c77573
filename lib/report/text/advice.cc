// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/advice.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/report/text/kernel_lines.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::report {
namespace {

constexpr size_t kMostTargets = 3;
constexpr int kTargetWidth = 40;

std::string Letter(size_t number) {
  std::string letter;
  for (size_t rest = number + 1; rest > 0; rest = (rest - 1) / 26) {
    letter.insert(letter.begin(), static_cast<char>('a' + (rest - 1) % 26));
  }
  return letter;
}

void Add(const std::string& what, const std::string& floor, const std::string& check,
         const std::string& target, std::vector<AdviceEntry>* advice) {
  if (what.empty()) return;
  auto entry = std::find_if(advice->begin(), advice->end(),
                            [&](const AdviceEntry& known) { return known.what == what; });
  if (entry == advice->end()) {
    advice->push_back({Letter(advice->size()), what, floor, check, {}, {}, {}});
    entry = advice->end() - 1;
  }
  std::vector<std::string>& targets = entry->targets;
  if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
}

std::string AsSentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string Targets(const AdviceEntry& entry, const TextOptions& options) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(entry.targets.size(), kMostTargets); ++i) {
    shown.push_back(ShortName(entry.targets[i], kTargetWidth, options));
  }
  std::string text = text::Join(shown, ", ");
  if (entry.targets.size() > kMostTargets) {
    text += ", " + text::Count(static_cast<int64_t>(entry.targets.size() - kMostTargets)) + " more";
  }
  return text;
}

// Where a sentence may end early.
constexpr std::string_view kEnds[] = {": ",        "; ",     ". ",    " (",       ", so that ",
                                      " so that ", ", and ", ", or ", ", where ", ", with "};
constexpr std::string_view kListed = ", ";

// The last place in `text`, but not behind `most`, where it may end: in no brackets, and in a list
// only behind a colon, where its first entries are advice alone. 0: there is none.
size_t LastEnd(std::string_view text, size_t most) {
  size_t found = 0;
  int open = 0;
  bool listing = false;
  for (size_t i = 0; i < text.size() && i <= most; ++i) {
    const auto here = [&](std::string_view end) { return text.substr(i, end.size()) == end; };
    const bool ends = std::any_of(std::begin(kEnds), std::end(kEnds), here);
    if (open == 0 && (ends || (listing && here(kListed)))) found = i;
    listing |= here(": ");
    open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
  }
  return found;
}

// "saxpy" of "saxpy in step/axpy" and of "saxpy and 2 more kernels".
std::string KernelNameOf(const std::string& target) {
  return target.substr(0, std::min(target.find(" in "), target.find(" and ")));
}

const Action* ActionWith(const KernelReport& kernel, const std::string& what) {
  for (const Action& action : kernel.verdict.actions) {
    if (action.what == what) return &action;
  }
  return nullptr;
}

// "17 to 32 %" of fractions; "17 %" where they are printed as one.
std::string BoundsText(double least, double most) {
  std::string low = text::ShortPercent(least), high = text::ShortPercent(most);
  if (low == high) return low;
  return low.substr(0, low.rfind(" %")) + " to " + high;
}

std::string NameAndPlace(const KernelReport& kernel, const TextOptions& options) {
  std::string name = ShortName(kernel.name, kTargetWidth, options);
  if (kernel.range.empty()) return name;
  return name + " in " + ShortName(kernel.range, kTargetWidth, options);
}

// A sentence has one formula, and its targets may have several bounds.
void SetBounds(const Report& report, const TextOptions& options, AdviceEntry* entry) {
  std::set<double> bounds;
  bool all_known = true;
  std::string floor_of;
  for (const KernelReport& kernel : report.kernels) {  // by time
    const std::vector<std::string>& targets = entry->targets;
    if (std::find(targets.begin(), targets.end(), kernel.name) == targets.end()) continue;
    const Action* const action = ActionWith(kernel, entry->what);
    if (action == nullptr) continue;
    const std::optional<double>& bound = action->gain_at_most;
    if (!bound) all_known = false;
    if (bound && *bound > 0) bounds.insert(*bound);
    if (!floor_of.empty() || action->floor != entry->floor) continue;
    floor_of =
        (bound ? text::ShortPercent(*bound) + " for " : "for ") + NameAndPlace(kernel, options);
  }
  if (floor_of.empty() || bounds.empty()) return;
  const std::string text = BoundsText(*bounds.begin(), *bounds.rbegin());
  const bool one = all_known && text == BoundsText(*bounds.begin(), *bounds.begin());
  if (one) return;
  entry->bounds = text + (all_known ? "" : " where it is known");
  entry->floor_of = std::move(floor_of);
}

}  // namespace

std::vector<AdviceEntry> AdviceOf(const Report& report, const TextOptions& options) {
  std::vector<AdviceEntry> advice;
  for (const RankedAction& entry : report.actions) {
    Add(entry.action.what, entry.action.floor, entry.check, KernelNameOf(entry.target), &advice);
  }
  const std::vector<KernelLine> lines = KernelLines(report, options.sort);
  for (size_t i = 0; i < std::min(lines.size(), static_cast<size_t>(options.max_rows)); ++i) {
    const Verdict& verdict = lines[i].main().verdict;
    Add(verdict.action, verdict.gain_formula, verdict.missing, lines[i].main().name, &advice);
  }
  for (AdviceEntry& entry : advice) SetBounds(report, options, &entry);
  return advice;
}

std::string LetterOf(const std::vector<AdviceEntry>& advice, const std::string& what) {
  for (const AdviceEntry& entry : advice) {
    if (entry.what == what) return entry.letter;
  }
  return "";
}

std::string ShortAdvice(const std::string& what, int width, const TextOptions& options) {
  std::string text = Printable(what);
  if (DisplayWidth(text) <= width) return text;
  if (text.back() == '.') text.pop_back();
  if (DisplayWidth(text) <= width) return text;
  size_t end = LastEnd(text, static_cast<size_t>(std::max(width, 0)));  // advice is ASCII
  if (end == 0) end = text.rfind(kListed, static_cast<size_t>(std::max(width, 0)));
  if (end == 0 || end == std::string::npos) return OneLine(text, width, options);
  return text.substr(0, text[end - 1] == ',' ? end - 1 : end);
}

void WriteAdvice(std::ostream& out, const Report& report, const TextOptions& options) {
  const std::vector<AdviceEntry> advice = AdviceOf(report, options);
  if (advice.empty()) return;
  WriteHeading(out, "Advice", options);
  for (const AdviceEntry& entry : advice) {
    const std::string head = "  [" + entry.letter + "] ";
    const std::string indent(head.size(), ' ');
    WriteParagraph(out, head, AsSentence(Printable(entry.what)), options.width);
    WriteParagraph(out, indent, "for: " + Targets(entry, options), options.width);
    if (!entry.floor.empty()) {
      std::string bound;
      if (!entry.bounds.empty()) bound = entry.bounds + "; " + entry.floor_of + ": ";
      WriteParagraph(out, indent, "at most: " + bound + Printable(entry.floor), options.width);
    }
    if (!entry.check.empty()) {
      WriteParagraph(out, indent, "would decide: " + Printable(entry.check), options.width);
    }
  }
}

}  // namespace prof::report
