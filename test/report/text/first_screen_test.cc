// SPDX-License-Identifier: Apache-2.0
//
// The first screen: what ran, where the time went, what to change first, and what is missing.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "lib/analyzer/rules/rule_actions.h"
#include "lib/report/base/strings.h"
#include "lib/report/text/advice.h"
#include "lib/report/text/details/range_detail.h"
#include "lib/report/text/kernel_lines.h"
#include "lib/report/text/text.h"
#include "lib/report/text/time_bar.h"
#include "test/report/contains.h"
#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof::first_screen_test {
namespace {

using test::Contains;

std::string Text(const Report& report, const TextOptions& options = {}) {
  std::ostringstream out;
  WriteText(out, report, options);
  return out.str();
}

// Lines before the heading "Ranges".
int FirstScreen(const std::string& text) {
  const std::string top = text.substr(0, text.find("\nRanges\n"));
  return static_cast<int>(std::count(top.begin(), top.end(), '\n'));
}

Report FiveActions() {
  Report report = test::ExampleReport();
  report.command = std::string(300, 'x');
  RankedAction action = report.actions[0];
  report.actions.clear();
  for (int i = 0; i < 5; ++i) {
    action.action.what = "Number " + std::to_string(i) + " " + std::string(200, 'w') + ".";
    action.evidence = std::string(300, 'e');
    report.actions.push_back(action);
  }
  return report;
}

TEST_CASE("The first screen fits 24 lines of 100 columns, whatever the names and the advice are") {
  TextOptions options;
  options.width = 100;
  CHECK(FirstScreen(Text(FiveActions(), options)) <= 24);
  CHECK(FirstScreen(Text(test::ExampleReport(), options)) <= 24);
}

TEST_CASE("Each action has its gain, its share, its evidence and the letter of its advice") {
  const std::string text = Text(test::ExampleReport());
  CHECK_THAT(text, Contains("1.  1.49 ms  12 %  Synchronize once after the loop") &&
                       Contains("[a]") && Contains("the run: The GPU waits for the host after"));
  CHECK_THAT(text, Contains("2.   621 us 5.0 %  Move fewer bytes") &&
                       Contains("saxpy in step/axpy (low confidence): DRAM 91 % of its peak"));
  CHECK_THAT(text, Contains("3. no bound        Use wgmma"));
}

TEST_CASE("A low confidence is never cut off, however long the name and the evidence are") {
  Report report = FiveActions();
  for (RankedAction& action : report.actions) {
    action.target = std::string(200, 't');
    action.confidence = Confidence::kLow;
  }
  for (const int width : {80, 100, 120, 200}) {
    TextOptions options;
    options.width = width;
    std::istringstream lines(Text(report, options));
    int found = 0;
    for (std::string line; std::getline(lines, line);) {
      found += line.find(" (low confidence): eee") != std::string::npos ? 1 : 0;
    }
    INFO(width);
    CHECK(found == 5);
  }
}

TEST_CASE("Advice that is too long for its line ends with a part of its sentence") {
  const auto brief = [](const std::string& what, int width) {
    return report::ShortAdvice(what, width, {});
  };
  const std::string fewer = "Move fewer bytes: fuse with the neighbours, or use a smaller type.";
  CHECK(brief(fewer, 80) == fewer);
  CHECK(brief(fewer, 65) == fewer.substr(0, 65));  // without the full stop
  CHECK(brief(fewer, 50) == "Move fewer bytes: fuse with the neighbours");
  CHECK(brief(fewer, 40) == "Move fewer bytes");
  CHECK(brief("Issue fewer: wide loads, reuse, unrolling.", 32) ==
        "Issue fewer: wide loads, reuse");
  CHECK(brief("Use fewer, wider loads (16 bytes).", 25) == "Use fewer, wider loads");
  CHECK(brief("Use wider loads (16 bytes, or 8), and keep values.", 40) ==
        "Use wider loads (16 bytes, or 8)");
  CHECK(brief("Use wider loads (16 bytes, or 8), and keep values.", 30) == "Use wider loads");
  CHECK(brief("Work ahead of time, so that the next launches are queued.", 40) ==
        "Work ahead of time");
  CHECK(brief("Pad the layout so that the lanes of a warp do not meet.", 40) == "Pad the layout");
  CHECK(brief("Merge it, batch more, or launch a graph.", 25) == "Merge it, batch more");
  CHECK(brief(std::string(60, 'w'), 20) == std::string(17, 'w') + "...");
}

TEST_CASE("On 80 columns no advice on a kernel is cut in the middle") {
  constexpr int kRoom = 56;  // beside the gain, the share and the letter
  for (const analyzer::ActionRow& row : analyzer::ActionRows()) {
    const std::string text = report::ShortAdvice(std::string(row.what), kRoom, {});
    INFO(text);
    CHECK(report::DisplayWidth(text) <= kRoom);
    CHECK_THAT(text, !Contains("..."));
  }
}

TEST_CASE("On 80 columns the table of kernels has the calls and what each saves at most") {
  TextOptions options;
  options.width = 80;
  const std::string text = Text(test::ExampleReport(), options);
  const std::string table = text.substr(text.find("\nKernels\n"));
  const std::string saxpy = table.substr(table.find("dram  "), 40);
  CHECK_THAT(table.substr(0, table.find("---")), Contains("calls") && Contains("most"));
  CHECK_THAT(saxpy, Contains("DRAM 91") && Contains("621 us"));
}

TEST_CASE("The last line names the views that the report has") {
  Report report = test::ExampleReport();
  report.ranges.clear();
  const auto last = [&] {
    const std::string text = Text(report);
    return text.substr(text.find("\nMore: "));
  };
  CHECK_THAT(last(), !Contains("--steps") && !Contains("--source"));
  report.ranges.emplace_back().calls = 3;
  report.lines.within.emplace_back();
  CHECK_THAT(last(), Contains("--steps, --source FILE, "));
}

TEST_CASE("Each advice stands once, with its bound and what would decide") {
  const std::string text = Text(test::ExampleReport());
  const std::string advice = text.substr(text.find("\nAdvice\n"));
  const std::string sentence =
      "Move fewer bytes: fuse it with its neighbours, or use a smaller type";
  const size_t first = advice.find(sentence);
  REQUIRE(first != std::string::npos);
  CHECK(advice.find(sentence, first + 1) == std::string::npos);
  CHECK_THAT(advice, Contains("at most: 1 - 91.3 / 100") &&
                         Contains("would decide: --counters all: whether all moved bytes are"));
}

// Two signatures of saxpy with the advice of the example, and these bounds.
std::string AdviceWithBounds(std::optional<double> first, std::optional<double> second) {
  Report report = test::ExampleReport();
  KernelReport& saxpy = report.kernels[0];
  saxpy.verdict.actions = {report.actions[1].action};
  saxpy.verdict.actions[0].gain_at_most = first;
  KernelReport other = saxpy;
  other.range = "step/other";
  other.verdict.actions[0].gain_at_most = second;
  other.verdict.actions[0].floor = "1 - 68.0 / 100";
  report.kernels.push_back(other);
  const std::string text = Text(report);
  return text.substr(text.find("\nAdvice\n"));
}

TEST_CASE("Where the bounds of an advice differ it has their range, and the place of its formula") {
  CHECK_THAT(AdviceWithBounds(0.087, 0.32),
             Contains("at most: 8.7 to 32 %; 8.7 % for saxpy in step/axpy: 1 - 91.3 / 100\n"));
  CHECK_THAT(AdviceWithBounds(0.087, 0.0871), Contains("at most: 1 - 91.3 / 100\n"));
  CHECK_THAT(AdviceWithBounds(0.087, std::nullopt),
             Contains("at most: 8.7 % where it is known; 8.7 % for saxpy in step/axpy: 1 - 91.3"));
}

TEST_CASE("The bar is as wide as the terminal, and its slices sum to the undisturbed time") {
  const Report report = test::ExampleReport();
  double sum_ns = 0;
  for (const report::Slice& slice : report::SlicesOf(report)) sum_ns += slice.time_ns;
  CHECK(sum_ns == Approx(report.undisturbed_ns));
  TextOptions options;
  options.width = 90;
  std::ostringstream out;
  report::WriteTimeBar(out, report, options);
  std::istringstream lines(out.str());
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(lines, line);
  CHECK(line.size() == 90);
  CHECK(std::count(line.begin(), line.end(), 'D') == 52);  // 7.141 of 12.346 ms
  CHECK(std::count(line.begin(), line.end(), 'w') == 11);  // 1.491 of them: waiting
}

TEST_CASE("What is missing is on the first screen, in one line") {
  Report report = test::ExampleReport();
  CHECK_THAT(Text(report), Contains("Missing: 12 kernel records were dropped by CUPTI") &&
                               Contains("(and 1 more, at the end)"));
  report.integrity.clear();
  report.notices.clear();
  CHECK_THAT(Text(report), !Contains("Missing: "));
}

TEST_CASE("Without an action the report has the reason") {
  Report report = test::ExampleReport();
  report.actions.clear();
  CHECK_THAT(Text(report), Contains("No action is known that would free 1 % of the span."));
  report.findings_missing = "prof disturbed all but 1 ms";
  CHECK_THAT(Text(report), Contains("None can be named: prof disturbed all but 1 ms."));
}

TEST_CASE("Kernels of one short name are told apart by the words that only they have") {
  Report report = test::ExampleReport();
  KernelReport add = report.kernels[0];
  add.name = "elementwise";
  add.full_name = "void at::elementwise<4, at::AddFunctor<float>, Array>(int)";
  KernelReport mul = add;
  mul.full_name = "void at::elementwise<4, at::MulFunctor<float>, Array>(int)";
  report.kernels = {add, mul};
  const std::vector<report::KernelLine> lines = report::KernelLines(report, SortBy::kTime);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].name == "elementwise<AddFunctor>");
  CHECK(lines[1].name == "elementwise<MulFunctor>");
}

TEST_CASE("The signatures of one kernel are one line, with the sum of their times and calls") {
  Report report = test::ExampleReport();
  KernelReport other = report.kernels[0];
  other.range = "elsewhere";
  other.total_ns = 1'000'000;
  other.launches = 10;
  other.verdict.limiter = Limiter::kTail;
  report.kernels.push_back(other);
  const std::vector<report::KernelLine> lines = report::KernelLines(report, SortBy::kTime);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].total_ns == 8'141'000);
  CHECK(lines[0].launches == 50);
  CHECK(lines[0].other_limiters == 1);
  CHECK_THAT(Text(report), Contains("saxpy") && Contains("2 ranges") && Contains("dram*"));
}

TEST_CASE("Kernels and ranges come in the order that was asked for") {
  const Report report = test::ExampleReport();
  CHECK(report::KernelLines(report, SortBy::kCalls)[0].launches == 1'240);
  CHECK(report::KernelLines(report, SortBy::kAverage)[0].name == "saxpy");
  CHECK(report::KernelLines(report, SortBy::kName)[0].name.rfind("cutlass", 0) == 0);
  TextOptions options;
  options.sort = SortBy::kName;
  const std::string text = Text(report, options);
  CHECK(text.find("\n(no range)") < text.find("\nstep "));
  CHECK(text.find("\nstep/attention ") < text.find("\nstep/axpy "));
}

TEST_CASE("A range has its calls, its host time and its GPU time with inner ranges") {
  const std::string text = Text(test::ExampleReport());
  CHECK_THAT(text, Contains("\nstep ") && Contains("12.9 ms") && Contains("9.04 ms"));
  CHECK_THAT(text, Contains("\n    qkv_proj (2 ranges)"));
  CHECK_THAT(text, !Contains("qkv_proj 1 "));
  TextOptions options;
  options.instances = true;
  CHECK_THAT(Text(test::ExampleReport(), options), Contains("step/attention/qkv_proj 1 "));
}

TEST_CASE("The legend of the kernels has what time and share are of, where prof disturbed any") {
  Report report = test::ExampleReport();
  const std::string legend = "time: of all launches; of span: only of what prof did not disturb.";
  const auto in_one_line = [&] {
    std::string text = Text(report);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  CHECK_THAT(in_one_line(), Contains(legend));
  report.profiler_ns = 0;
  CHECK_THAT(in_one_line(), !Contains(legend));
}

TEST_CASE("Ranges without GPU work have no line about the work outside of them") {
  Report report = test::ExampleReport();
  report.ranges[1].rows.clear();
  std::ostringstream out;
  const auto axpy = [](const std::string& path) { return path == "step/axpy"; };
  REQUIRE(WriteRangeDetail(out, report, axpy, {}));
  CHECK_THAT(out.str(), !Contains("(no range)"));
}

TEST_CASE("The detail of ranges has those that match and their kernels alone") {
  const Report report = test::ExampleReport();
  std::ostringstream out;
  const auto axpy = [](const std::string& path) { return path == "step/axpy"; };
  REQUIRE(WriteRangeDetail(out, report, axpy, {}));
  CHECK_THAT(out.str(), Contains("step/axpy") && Contains("saxpy") && !Contains("reduce") &&
                            Contains("sum of rows") && Contains("57.8") &&
                            Contains("7.14 ms  75 %"));  // of the time of all kernels
  const auto none = [](const std::string&) { return false; };
  CHECK(!WriteRangeDetail(out, report, none, {}));
}

TEST_CASE("The detail of ranges has the place of each under the roofline, where it was measured") {
  Report report = test::ExampleReport();
  const auto axpy = [](const std::string& path) { return path == "step/axpy"; };
  const auto detail = [&] {
    std::ostringstream out;
    REQUIRE(WriteRangeDetail(out, report, axpy, {}));
    return out.str();
  };
  for (RangeRow& row : report.rows) row.roofline = {};
  CHECK_THAT(detail(), !Contains("Rooflines"));
  for (RangeRow& row : report.rows) {
    row.roofline.dram_bytes_per_s = row.label == "step/axpy" ? 2e12 : 1e12;
    row.roofline.dram_peak_bytes_per_s = 4e12;
  }
  CHECK_THAT(detail(), Contains("Rooflines: what a range launches itself, together") &&
                           Contains("step/axpy: roofline: DRAM 2.00 TB/s of 4.00 TB/s (50 %)") &&
                           !Contains("1.00 TB/s"));
}

}  // namespace
}  // namespace prof::first_screen_test
