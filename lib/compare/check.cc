// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/compare/compare_text.h"
#include "lib/compare/work.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

struct Case {
  enum class Kind { kFine, kFailed, kOpen, kRemark };  // kRemark: for people, no test
  std::string group, name, text;
  Kind kind = Kind::kFine;
  std::string type;    // of a failure, in one word
  std::string result;  // "is slower"
};

void SetTime(Change change, Case* c) {
  if (change == Change::kSlower) {
    c->kind = Case::Kind::kFailed;
    c->type = "slower";
    c->result = "is slower";
  } else if (change == Change::kInconclusive) {
    c->kind = Case::Kind::kOpen;
    c->result = "is inconclusive";
  }
}

Case TimeCase(const KernelChange& kernel, const std::string& range) {
  Case c;
  c.group = range;
  c.name = kernel.name;
  c.text = text::Time(kernel.time.before.median) + " -> " + text::Time(kernel.time.after.median) +
           ", " + RatioText(kernel.time) + " times\n" + text::Join(NotesOn(kernel), "\n");
  SetTime(kernel.time.change, &c);
  return c;
}

// More work that may not fail is a remark.
std::optional<Case> WorkCase(const KernelChange& kernel, const std::string& range, bool may_fail) {
  const WorkChange change = kernel.work.change;
  if (!may_fail && !IsMoreWork(change)) return std::nullopt;
  Case c;
  c.group = range;
  c.name = kernel.name + (may_fail ? ": work" : "");
  c.text = kernel.work.why;
  if (IsMoreWork(change)) {
    c.kind = may_fail ? Case::Kind::kFailed : Case::Kind::kRemark;
    c.type = "more-work";
    c.result = change == WorkChange::kMore ? "is more" : "is more of some kinds";
    if (!may_fail) c.result = "does more work";
  } else if (change == WorkChange::kNotMeasured) {
    c.kind = Case::Kind::kOpen;
    c.result = "is not measured";
  }
  return c;
}

std::vector<Case> CasesOf(const Comparison& comparison, const FailOn& fail_on) {
  std::vector<Case> cases;
  for (const KernelChange& kernel : comparison.kernels) {
    if (!kernel.time.tested) continue;
    const std::string range = kernel.range.empty() ? "(no range)" : kernel.range;
    if (fail_on.time) cases.push_back(TimeCase(kernel, range));
    if (auto work = WorkCase(kernel, range, fail_on.work)) cases.push_back(std::move(*work));
  }
  for (const Compared& c : comparison.run) {
    if (!c.tested || !fail_on.time) continue;
    Case& of_run = cases.emplace_back();
    of_run.group = "(the run)";
    of_run.name = c.name;
    of_run.text = text::Time(c.before.median) + " -> " + text::Time(c.after.median) + ", " +
                  RatioText(c) + " times\n" + c.why;
    SetTime(c.change, &of_run);
  }
  return cases;
}

// XML 1.0: control characters other than tab and line ends must not appear at all.
std::string Xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return escaped;
}

// GitHub's workflow commands: a percent sign and line ends are escaped, in properties also colon
// and comma.
std::string Github(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '%':
        escaped += "%25";
        break;
      case '\r':
        escaped += "%0D";
        break;
      case '\n':
        escaped += "%0A";
        break;
      case ':':
        escaped += is_property ? "%3A" : ":";
        break;
      case ',':
        escaped += is_property ? "%2C" : ",";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

int64_t CountOf(const std::vector<Case>& cases, Case::Kind kind) {
  return std::count_if(cases.begin(), cases.end(), [&](const Case& c) { return c.kind == kind; });
}

void WriteCase(std::ostream& out, const Case& c) {
  out << "  <testcase classname=\"" << Xml(c.group) << "\" name=\"" << Xml(c.name) << "\">";
  const std::string message = Xml(c.text);
  if (c.kind == Case::Kind::kFailed) {
    out << "<failure type=\"" << Xml(c.type) << "\" message=\"" << message << "\"/>";
  } else if (c.kind == Case::Kind::kOpen) {
    out << "<skipped message=\"" << message << "\"/>";
  } else {
    out << "<system-out>" << message << "</system-out>";
  }
  out << "</testcase>\n";
}

constexpr char kNothingTested[] =
    "nothing was tested: no kernel and no time of the run is in both, and large enough";

// The tests, and where there is none, why there is no answer at all.
std::vector<Case> CasesWithReason(const Comparison& comparison, const FailOn& fail_on) {
  std::vector<Case> cases;
  if (comparison.error.empty()) cases = CasesOf(comparison, fail_on);
  const bool none = CountOf(cases, Case::Kind::kRemark) == static_cast<int64_t>(cases.size());
  if (!none) return cases;
  Case& why = cases.emplace_back();
  why.group = "(the run)";
  why.name = "comparison";
  why.text = comparison.error.empty() ? kNothingTested : comparison.error;
  why.kind = Case::Kind::kOpen;
  return cases;
}

const char* GithubLevel(Case::Kind kind) {
  switch (kind) {
    case Case::Kind::kFailed:
      return "error";
    case Case::Kind::kOpen:
      return "warning";
    case Case::Kind::kRemark:
      return "notice";
    case Case::Kind::kFine:
      return "";
  }
  return "";
}

}  // namespace

int StatusOf(const Comparison& comparison, const FailOn& fail_on) {
  const std::vector<Case> cases = CasesWithReason(comparison, fail_on);
  if (CountOf(cases, Case::Kind::kFailed) > 0) return kRegression;
  return CountOf(cases, Case::Kind::kOpen) > 0 ? kOpen : kFine;
}

void WriteJunit(std::ostream& out, const Comparison& comparison, const FailOn& fail_on) {
  const std::vector<Case> cases = CasesWithReason(comparison, fail_on);
  const int64_t remarks = CountOf(cases, Case::Kind::kRemark);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"prof check\" tests=\""
      << static_cast<int64_t>(cases.size()) - remarks << "\" failures=\""
      << CountOf(cases, Case::Kind::kFailed) << "\" errors=\"0\" skipped=\""
      << CountOf(cases, Case::Kind::kOpen) << "\">\n";
  for (const Case& c : cases) {
    if (c.kind != Case::Kind::kRemark) WriteCase(out, c);
  }
  out << "</testsuite>\n";
}

void WriteGithub(std::ostream& out, const Comparison& comparison, const FailOn& fail_on) {
  for (const Case& c : CasesWithReason(comparison, fail_on)) {
    if (c.kind == Case::Kind::kFine) continue;
    const std::string title =
        c.result.empty() ? "prof check" : c.name + " in " + c.group + " " + c.result;
    out << "::" << GithubLevel(c.kind) << " title=" << Github(title, true)
        << "::" << Github(c.text, false) << '\n';
  }
}

}  // namespace prof::compare
