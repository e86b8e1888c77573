// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/actions_section.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/column_sums.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/advice.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr int kTimeWidth = 8, kShareWidth = 5;
constexpr const char* kIndent = "      ";
constexpr int kIndentWidth = 6;

std::string Right(const std::string& text, int width) {
  return std::string(static_cast<size_t>(std::max(0, width - DisplayWidth(text))), ' ') + text;
}

// "1.  66.6 ms  9.2 %  "
std::string Head(const RankedAction& action, size_t number, double undisturbed_ns) {
  std::string time = "no bound", share;
  if (action.saves_at_most_ns) {
    time = text::Time(*action.saves_at_most_ns);
    if (undisturbed_ns > 0) share = PartPercent(*action.saves_at_most_ns / undisturbed_ns);
  }
  return Right(std::to_string(number), 2) + ". " + Right(time, kTimeWidth) + " " +
         Right(share, kShareWidth) + "  ";
}

// A long name leaves half of the line to the rest. The end of the line may be cut off, so the
// confidence stands in front of the evidence.
std::string Evidence(const RankedAction& action, const TextOptions& options) {
  std::string text = ShortName(action.target, options.width / 2, options);
  if (action.confidence == Confidence::kLow) text += " (low confidence)";
  if (!action.evidence.empty()) text += ": " + action.evidence;
  return text;
}

}  // namespace

void WriteActions(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.rows.empty()) return;
  if (report.actions.empty()) {
    WriteHeading(out, "What to change first", options);
    WriteParagraph(out, "",
                   report.findings_missing.empty()
                       ? "No action is known that would free 1 % of the span. The tables show what "
                         "was not measured."
                       : "None can be named: " + Printable(report.findings_missing) + ".",
                   options.width);
    return;
  }
  WriteHeading(out, "What to change first: the time that it saves at most, after those above it",
               options);
  const std::vector<AdviceEntry> advice = AdviceOf(report, options);
  for (size_t i = 0; i < report.actions.size(); ++i) {
    const RankedAction& action = report.actions[i];
    const std::string head = Head(action, i + 1, report.undisturbed_ns);
    const int width = options.width - DisplayWidth(head);
    const std::string letter = " [" + LetterOf(advice, action.action.what) + "]";
    out << Bold(head, options)
        << ShortAdvice(action.action.what, width - DisplayWidth(letter), options) << letter << '\n';
    out << kIndent << OneLine(Evidence(action, options), options.width - kIndentWidth, options)
        << '\n';
  }
}

void WriteLosses(std::ostream& out, const Report& report, const TextOptions& options) {
  std::vector<std::string> problems;
  for (const std::string& loss : report.integrity) problems.push_back(loss);
  for (const NoticeReport& notice : report.notices) {
    if (notice.severity != "info") problems.push_back(notice.severity + ": " + notice.what);
  }
  if (problems.empty()) return;
  std::string line = "Missing: " + problems.front();
  const std::string more = problems.size() < 2
                               ? ""
                               : " (and " + text::Count(static_cast<int64_t>(problems.size() - 1)) +
                                     " more, at the end)";
  line = OneLine(line, options.width - DisplayWidth(more), options) + more;
  out << '\n' << Colored(line, "1;31", options) << '\n';
}

}  // namespace prof::report
