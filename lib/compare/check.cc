// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/check.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/compare/compare_text.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

struct Case {
  std::string group, name, text;
  Change change = Change::kSame;
};

std::vector<Case> CasesOf(const Comparison& comparison) {
  std::vector<Case> cases;
  for (const KernelChange& kernel : comparison.kernels) {
    if (!kernel.time.tested) continue;
    const std::string range = kernel.range.empty() ? "(no range)" : kernel.range;
    cases.push_back({range, kernel.name,
                     text::Time(kernel.time.before.median) + " -> " +
                         text::Time(kernel.time.after.median) + ", " + RatioText(kernel.time) +
                         " times\n" + text::Join(NotesOn(kernel), "\n"),
                     kernel.time.change});
  }
  for (const Compared& c : comparison.run) {
    if (!c.tested) continue;
    cases.push_back({"(the run)", c.name,
                     text::Time(c.before.median) + " -> " + text::Time(c.after.median) + ", " +
                         RatioText(c) + " times\n" + c.why,
                     c.change});
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

int64_t CountOf(const std::vector<Case>& cases, Change change) {
  int64_t count = 0;
  for (const Case& c : cases) count += c.change == change ? 1 : 0;
  return count;
}

void WriteCase(std::ostream& out, const Case& c) {
  out << "  <testcase classname=\"" << Xml(c.group) << "\" name=\"" << Xml(c.name) << "\">";
  const std::string message = Xml(c.text);
  if (c.change == Change::kSlower) {
    out << "<failure type=\"slower\" message=\"" << message << "\"/>";
  } else if (c.change == Change::kInconclusive) {
    out << "<skipped message=\"" << message << "\"/>";
  } else {
    out << "<system-out>" << message << "</system-out>";
  }
  out << "</testcase>\n";
}

constexpr char kNothingTested[] =
    "nothing was tested: no kernel and no time of the run is in both, and large enough";

// Why there is no answer at all; empty: there are cases.
std::string WhyOpen(const Comparison& comparison) {
  if (!comparison.error.empty()) return comparison.error;
  return CasesOf(comparison).empty() ? kNothingTested : "";
}

}  // namespace

int StatusOf(const Comparison& comparison) {
  if (!WhyOpen(comparison).empty()) return kOpen;
  const Change overall = comparison.overall();
  if (overall == Change::kSlower) return kRegression;
  return overall == Change::kInconclusive ? kOpen : kFine;
}

void WriteJunit(std::ostream& out, const Comparison& comparison) {
  const std::vector<Case> cases = CasesOf(comparison);
  const std::string why_open = WhyOpen(comparison);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"prof check\" tests=\""
      << cases.size() + (why_open.empty() ? 0 : 1) << "\" failures=\""
      << CountOf(cases, Change::kSlower) << "\" errors=\"0\" skipped=\""
      << CountOf(cases, Change::kInconclusive) + (why_open.empty() ? 0 : 1) << "\">\n";
  for (const Case& c : cases) WriteCase(out, c);
  if (!why_open.empty()) {
    WriteCase(out, {"(the run)", "comparison", why_open, Change::kInconclusive});
  }
  out << "</testsuite>\n";
}

void WriteGithub(std::ostream& out, const Comparison& comparison) {
  for (const Case& c : CasesOf(comparison)) {
    if (c.change != Change::kSlower && c.change != Change::kInconclusive) continue;
    const bool is_slower = c.change == Change::kSlower;
    out << (is_slower ? "::error title=" : "::warning title=")
        << Github(c.name + " in " + c.group + (is_slower ? " is slower" : " is inconclusive"), true)
        << "::" << Github(c.text, false) << '\n';
  }
  if (const std::string why_open = WhyOpen(comparison); !why_open.empty()) {
    out << "::warning title=prof check::" << Github(why_open, false) << '\n';
  }
}

}  // namespace prof::compare
