// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/text.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/text/details/kernel_detail.h"
#include "test/report/contains.h"
#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof::text_test {
namespace {

using test::Contains;

std::string Text(const Report& report, const TextOptions& options = {}) {
  std::ostringstream out;
  WriteText(out, report, options);
  return out.str();
}

TextOptions Detailed() {
  TextOptions options;
  options.details = true;
  return options;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The section about ranges.
std::string RangesIn(const std::string& text) {
  const size_t begin = text.find("\nRanges\n");
  return text.substr(begin, text.find("\nKernels\n") - begin);
}

// The "own" cells of the first table; the last one is its total. In hundredths, thousandths, ...
// of the unit, so that sums are exact.
std::vector<int64_t> FirstTableTimes(const std::string& text) {
  const std::vector<std::string> lines = Lines(text);
  const auto heading = std::find(lines.begin(), lines.end(), "Ranges");
  auto line = heading;
  while (line != lines.end() && line->rfind("range ", 0) != 0) ++line;
  REQUIRE(line != lines.end());
  // The column's title ends with the unit and, like its cells, stands on the right.
  std::smatch unit;
  REQUIRE(std::regex_search(*line, unit, std::regex(" (us|ms|s)( |$)")));
  const auto end = static_cast<size_t>(unit.position(1) + unit.length(1));
  std::vector<int64_t> times;
  for (++line; line != lines.end() && !line->empty(); ++line) {
    if (line->size() < end) continue;
    const size_t begin = line->rfind(' ', end - 1) + 1;
    std::string cell = line->substr(begin, end - begin);
    if (cell.find('.') == std::string::npos) continue;
    cell.erase(
        std::remove_if(cell.begin(), cell.end(), [](char c) { return c == '.' || c == ','; }),
        cell.end());
    times.push_back(std::stoll(cell));
  }
  return times;
}

TEST_CASE("The section about memory is there only when memory was allocated or freed") {
  Report report = test::ExampleReport();
  CHECK(Text(report).find("\nMemory\n") != std::string::npos);
  report.memory = {};
  CHECK(Text(report).find("\nMemory\n") == std::string::npos);
  report.memory.unified = {{"GPU page faults", "read", 0, 12, 0, 480, 900'000}};
  const std::string text = Text(report);
  CHECK_THAT(text, Contains("  unified memory: 12 GPU page faults (read) 900 us"));
  CHECK(text.find("allocated:") == std::string::npos);
}

TEST_CASE("Frees of earlier memory alone have no row of zeros") {
  Report report = test::ExampleReport();
  report.memory = {};
  report.memory.kinds.resize(1);
  report.memory.kinds[0].memory = "device";
  report.memory.kinds[0].frees_of_earlier = 1;
  const std::string text = Text(report);
  CHECK_THAT(text, Contains("what was allocated before the recording began (1 free of it)"));
  CHECK(text.find("allocated: ") == std::string::npos);
  CHECK(text.find("GPU 0: peak") == std::string::npos);
}

TEST_CASE("A range's name that allocates cannot break the report's lines") {
  Report report = test::ExampleReport();
  report.memory.ranges[0].range = "evil\n\033[2Jname";
  CHECK(Text(report).find('\033') == std::string::npos);
}

TEST_CASE("The printed rows of the first table sum exactly to the printed total") {
  Report report = test::ExampleReport();
  report.ranges.clear();  // rows alone
  for (int variant = 0; variant < 50; ++variant) {
    report.span_ns = 0;
    for (size_t i = 0; i < report.rows.size(); ++i) {
      report.rows[i].time_ns = std::fmod(1'234'567.891 * (variant + 1) * (i + 1.37), 3e6) *
                               std::pow(10, variant % 4 - 1);
      report.span_ns += report.rows[i].time_ns;
    }
    const std::vector<int64_t> times = FirstTableTimes(Text(report));
    REQUIRE(times.size() == report.rows.size() + 1);
    int64_t sum = 0;
    for (size_t i = 0; i + 1 < times.size(); ++i) sum += times[i];
    CHECK(sum == times.back());
  }
}

// A report of ranges side by side, all of whose time is their own, and of idle time.
Report OfRanges(const std::vector<double>& times_ns, double gaps_ns) {
  Report report;
  report.span_ns = report.undisturbed_ns = gaps_ns;
  for (const double time_ns : times_ns) {
    RangeNode node;
    node.name = node.path = "range " + std::to_string(report.ranges.size());
    node.calls = 1;
    node.host_ns = 1e9;
    node.gpu_ns = node.gpu_inclusive_ns = time_ns;
    report.ranges.push_back(node);
    report.span_ns = report.undisturbed_ns += time_ns;
  }
  RangeRow gaps;
  gaps.kind = RangeRow::Kind::kGap;
  gaps.label = "gaps";
  gaps.time_ns = gaps_ns;
  report.rows = {gaps};
  return report;
}

TEST_CASE("The time of a range without inner ones is not printed larger than that with them") {
  const std::string text = Text(OfRanges({70.04e6, 46.2e3}, 171.03e6));
  CHECK_THAT(text, Contains("70.0 ms   70.0") && Contains("46.2 us    0.0"));
  CHECK_THAT(text, Contains("171.1") && Contains("241.1"));
}

TEST_CASE("A time that was rounded up for the sum raises those with inner ranges around it") {
  // Each of four ends with .04: two of them have to be rounded up.
  Report report = OfRanges({50.04e6, 40.04e6, 30.04e6, 20.04e6}, 0);
  report.rows.clear();
  report.ranges[0].depth = 1;
  RangeNode around = report.ranges[0];
  around.gpu_ns = around.depth = 0;
  around.name = "around";
  report.ranges.insert(report.ranges.begin(), around);
  const std::string text = RangesIn(Text(report));
  for (const char* const times :
       {"50.1 ms    0.0", "50.1 ms   50.1", "40.1 ms   40.1", "30.0 ms   30.0", "20.0 ms   20.0"}) {
    CHECK_THAT(text, Contains(times));
  }
}

TEST_CASE("Ranges beyond the limit are summed up in one row, so that the table still sums") {
  Report report = test::ExampleReport();
  const RangeRow model = report.rows[0];
  report.ranges.clear();
  report.rows.erase(report.rows.begin(), report.rows.end() - 1);  // keeps prof's own
  report.span_ns = report.rows[0].time_ns;
  for (int i = 0; i < 100; ++i) {
    RangeRow row = model;
    row.label = "range" + std::to_string(i);
    row.time_ns = 1000.0 * (i + 1);
    report.span_ns += row.time_ns;
    report.rows.insert(report.rows.end() - 1, row);
  }
  TextOptions options;
  options.max_rows = 5;
  const std::string text = Text(report, options);
  CHECK_THAT(text, Contains("(95 more ranges; --top shows more)"));
  CHECK_THAT(text, Contains("range99") && Contains("range95") && !Contains("range94"));
  const std::vector<int64_t> times = FirstTableTimes(text);
  REQUIRE(times.size() == 5 + 1 + 1 + 1);
  int64_t sum = 0;
  for (size_t i = 0; i + 1 < times.size(); ++i) sum += times[i];
  CHECK(sum == times.back());
  CHECK_THAT(text, Contains("\nspan "));
}

TEST_CASE("Rows that do not add up to the span are not called the span") {
  Report report = test::ExampleReport();
  report.span_ns *= 2;
  const std::string text = Text(report);
  CHECK_THAT(text, Contains("sum of rows") && Contains("The span is 26.3 ms."));
}

TEST_CASE("No line is wider than asked") {
  for (const int width : {80, 100, 120, 160, 200}) {
    for (const bool details : {false, true}) {
      TextOptions options;
      options.width = width;
      options.details = options.instances = details;
      for (const std::string& line : Lines(Text(test::ExampleReport(), options))) {
        INFO(line);
        CHECK(report::DisplayWidth(line) <= width);
      }
    }
  }
}

TEST_CASE("Without counters of launches the header has the number of PM samples") {
  Report report;
  for (const double interval_ns : {5'000, 20'000}) {
    ContinuousReport series;
    series.interval_ns = interval_ns;
    series.samples = 1'280;
    report.continuous.push_back(series);
  }
  CHECK_THAT(Text(report),
             Contains("launches were sampled; of the whole GPU 2,560 PM samples were"));
}

TEST_CASE("A kernel that was not measured has the reason") {
  const std::string text = Text(test::ExampleReport());
  CHECK_THAT(text.substr(text.find("\nNot measured: 20 %")),
             Contains("it was launched by a CUDA graph only"));
}

TEST_CASE("A ratio above 100 % is not printed as a number") {
  Report report = test::ExampleReport();
  report.kernels = {report.kernels[2]};
  report.rows.clear();
  CHECK_THAT(Text(report), !Contains("114"));
}

TEST_CASE("A row of copies has no limiter, a kernel that was not measured has one") {
  Report report = test::ExampleReport();
  report.ranges.clear();
  report.rows = {report.rows[1]};
  report.kernels = {report.kernels[1]};
  CHECK_THAT(RangesIn(Text(report)), Contains("not-measured"));
  report.rows[0].dominant = "copy, host to device";
  report.rows[0].verdict.clear();
  CHECK_THAT(RangesIn(Text(report)), !Contains("not-measured"));
}

TEST_CASE("A withheld finding has its reason and no gain") {
  Report report = test::ExampleReport();
  report.findings = {report.findings[1]};
  report.findings[0].gain_at_most_ns = 777'000;
  report.findings[0].action = "Use a CUDA graph";
  const std::string text = Text(report, Detailed());
  CHECK_THAT(text, Contains("withheld: 12 kernel records were lost"));
  CHECK_THAT(text, !Contains("777 us") && !Contains("Use a CUDA graph"));
}

TEST_CASE("An unreadable snapshot's report is its error and nothing else") {
  Report report;
  report.error = "step.prof is not a snapshot";
  CHECK(Text(report) == "prof: the recording could not be read: step.prof is not a snapshot\n");
}

TEST_CASE("With several devices each has its own busy share, and the span is called a sum") {
  Report report = test::ExampleReport();
  DeviceReport second = report.devices[0];
  second.id = 1;
  second.busy_ns = 1e6;
  second.idle_ns = 3e6;
  report.devices.push_back(second);
  const std::string text = Text(report);
  CHECK_THAT(text, Contains("summed over 2 GPUs"));
  CHECK_THAT(text, Contains("GPU 1: NVIDIA H200 (GH100): busy 25 %, idle 75 % of its span"));
}

TEST_CASE("A device that worked for a moment was not idle for 100 % of its span") {
  Report report = test::ExampleReport();
  report.devices[0].busy_ns = 2;
  report.devices[0].idle_ns = 998;
  CHECK_THAT(Text(report), Contains("busy 0.2 %, idle 99.8 % of its span"));
}

TEST_CASE("A report without GPU work has a line about that") {
  Report report;
  report.command = "./app";
  const std::string text = Text(report);
  CHECK_THAT(text, Contains("No GPU operation was recorded.") && Contains("No loss"));
  CHECK_THAT(text, !Contains("nan") && !Contains("inf"));
}

TEST_CASE("Names from the program cannot send escapes to the terminal") {
  Report report = test::ExampleReport();
  report.rows[0].label = "\033[2J";
  report.kernels[0].name = "k\033]0;x\a";
  report.command = "a\nb";
  CHECK(Text(report).find_first_of("\033\a") == std::string::npos);
}

TEST_CASE("Where the first line is short the command stays, and the machine is left out") {
  Report report = test::ExampleReport();
  report.command = "python3 train.py --layers 12 --batch 8 --seed 11";
  report.pid = 4711;
  report.rank = -1;
  report.host = "node-17.cluster";
  report.nvidia_driver = "580.1";
  TextOptions options;
  options.width = 120;
  CHECK_THAT(Text(report, options),
             Contains("--seed 11  (pid 4711 on node-17.cluster, driver 580.1)\n"));
  options.width = 80;
  const std::string line = Text(report, options).substr(0, 81);
  CHECK_THAT(line, Contains("python3 train.py --layers 12 --batch 8 --seed 11  (pid 4711)\n"));
  report.command = "/opt/environments/training/bin/" + report.command;
  CHECK(Text(report, options).substr(0, 81) == line);
}

TEST_CASE("Color is there on request only") {
  TextOptions options;
  options.color = true;
  CHECK_THAT(Text(test::ExampleReport(), options), Contains("\033[1m"));
  CHECK_THAT(Text(test::ExampleReport()), !Contains("\033"));
}

struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_CASE("The stream's locale and width do not change the report") {
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new GermanNumbers));
  out << std::setw(300) << std::setfill('*') << test::ExampleReport();
  CHECK(out.str() == Text(test::ExampleReport()));
}

TEST_CASE("A counted region has its section, and none is there without") {
  Report report = test::ExampleReport();
  CHECK_THAT(Text(report), Contains("Counted regions") && !Contains("4 x nvjet"));
  const std::string text = Text(report, Detailed());
  CHECK_THAT(text, Contains("Counted regions"));
  CHECK_THAT(text, Contains("4 x nvjet_hsh_256x128 70 %, 8.5 x rms_norm 30 %"));
  CHECK_THAT(text, Contains("20 samples (1 rejected"));
  report.regions[0].roofline = {};
  report.regions[0].roofline.dram_bytes_per_s = 2.4e12;
  report.regions[0].roofline.dram_peak_bytes_per_s = 4.8e12;
  CHECK_THAT(Text(report, Detailed()), Contains("roofline: DRAM 2.40 TB/s of 4.80 TB/s (50 %)"));
  report.regions.clear();
  CHECK_THAT(Text(report), !Contains("Counted regions"));
}

TEST_CASE("A time that only counters know is marked") {
  Report report = test::ExampleReport();
  CHECK_THAT(Text(report), !Contains("not the timeline"));
  report.kernels[0].duration_from_counters = true;
  report.kernels[0].resources_known = false;
  CHECK_THAT(Text(report, Detailed()),
             Contains("time by the counter (gpu__time_duration, n = 37)"));
  std::ostringstream detail;
  WriteKernelDetail(detail, report.kernels[0]);
  CHECK_THAT(detail.str(), Contains("over 37 samples"));
  CHECK_THAT(detail.str(), Contains("registers and the rest are not known"));
}

}  // namespace
}  // namespace prof::text_test
