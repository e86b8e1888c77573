// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::report_command_test {
namespace {

constexpr const char* kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";

std::string Recording() {
  SnapshotBuilder builder;
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  const uint32_t reduce = builder.Shape("reduce", {16, 1, 1}, {512, 1, 1});
  builder.Kernel(saxpy, "step", 10'000, 60'000);
  const uint32_t sampled = builder.Kernel(saxpy, "step", 70'000, 120'000);
  builder.Kernel(reduce, "", 130'000, 140'000);
  builder.Sample(sampled, {{kDram, 91.0}});
  return builder.Bytes(3);
}

Folder* RecordingFolder() {
  static Folder folder;
  folder.Write("run.prof", Recording());
  return &folder;
}

Ended ProfIn(const std::vector<std::string>& arguments) {
  return Prof(arguments, RecordingFolder()->path());
}

TEST_CASE("prof report prints the first table, the kernels and what it could not see") {
  const Ended ended = ProfIn({"report", "run.prof"});
  CHECK(ended.exit_code() == 0);
  CHECK(ended.err.empty());
  CHECK_THAT(ended.out, Contains("./app") && Contains("Where the time went") &&
                            Contains("\nstep ") && Contains("\nspan ") && Contains("saxpy") &&
                            Contains("reduce") && Contains("What this report could not see"));
  CHECK_THAT(ended.out, !Contains("\033"));
}

TEST_CASE("prof report --json is JSON with the kernels in it") {
  const Ended ended = ProfIn({"report", "run.prof", "--json"});
  CHECK(ended.exit_code() == 0);
  const nlohmann::json json = nlohmann::json::parse(ended.out);
  CHECK(json["schema"] == 3);
  CHECK(json["span_ns"] == 130'000);
  REQUIRE(json["kernels"].size() == 2);
  CHECK(json["kernels"][0]["name"] == "saxpy");
  CHECK(json["kernels"][0]["launches"] == 2);
}

TEST_CASE("prof report --ceilings takes a file of rates, and names what is wrong with it") {
  const std::string head = "device,sm_count,kind,per_s,n,min,max,sm_clock_hz\n";
  RecordingFolder()->Write("other.csv", head + "Another GPU,7,l2,6e12,5,6e12,6e12,0\n");
  const Ended other = ProfIn({"report", "run.prof", "--ceilings", "other.csv"});
  CHECK(other.exit_code() == 0);
  CHECK_THAT(other.err, Contains("other.csv has no ceilings of the devices of run.prof"));
  RecordingFolder()->Write("broken.csv", head + "H200\n");
  const Ended broken = ProfIn({"report", "run.prof", "--ceilings", "broken.csv"});
  CHECK(broken.exit_code() == 2);
  CHECK_THAT(broken.err, Contains("broken.csv is no file of ceilings: line 2") &&
                             Contains("the CSV that examples/ceilings prints"));
  const Ended missing = ProfIn({"report", "run.prof", "--ceilings", "missing.csv"});
  CHECK(missing.exit_code() == 2);
  CHECK_THAT(missing.err, Contains("cannot open the file of ceilings missing.csv: No such file") &&
                              Contains("the CSV that examples/ceilings prints"));
}

TEST_CASE("prof report --csv has a line for each kernel") {
  const Ended ended = ProfIn({"report", "run.prof", "--csv"});
  CHECK(ended.exit_code() == 0);
  CHECK(ended.out.rfind("name,full_name,range,", 0) == 0);
  CHECK_THAT(ended.out, Contains("\nsaxpy,") && Contains("\nreduce,"));
}

TEST_CASE("prof report --kernel prints everything about that kernel alone") {
  const Ended text = ProfIn({"report", "run.prof", "--kernel", "sax"});
  CHECK(text.exit_code() == 0);
  CHECK_THAT(text.out, Contains("saxpy") && Contains(kDram) && !Contains("reduce"));
  const Ended json = ProfIn({"report", "run.prof", "--kernel", "sax", "--json"});
  CHECK(nlohmann::json::parse(json.out)["kernels"].size() == 1);
}

TEST_CASE("A kernel that is not in the recording is an error that lists those that are") {
  for (const std::vector<std::string>& format :
       {std::vector<std::string>{}, std::vector<std::string>{"--json"}}) {
    std::vector<std::string> line = {"report", "run.prof", "--kernel", "gemm"};
    line.insert(line.end(), format.begin(), format.end());
    const Ended ended = ProfIn(line);
    CHECK(ended.exit_code() == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, Contains("gemm") && Contains("saxpy"));
  }
}

TEST_CASE("prof report --kernel takes a regular expression, and refuses one that is none") {
  CHECK_THAT(ProfIn({"report", "run.prof", "--kernel", "^s.x"}).out,
             Contains("saxpy") && !Contains("reduce"));
  const Ended ended = ProfIn({"report", "run.prof", "--kernel", "f(int"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("--kernel 'f(int' is not") && Contains("backslash"));
}

TEST_CASE("prof report --range prints the ranges that match and their kernels") {
  const Ended ended = ProfIn({"report", "run.prof", "--range", "^st"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("\nstep ") && Contains("saxpy") && !Contains("reduce"));
  const Ended missing = ProfIn({"report", "run.prof", "--range", "nowhere"});
  CHECK(missing.exit_code() == 2);
  CHECK_THAT(missing.err, Contains("no range matches 'nowhere': step"));
}

TEST_CASE("prof report --steps prints the steps and their path, or why there are none") {
  const Ended none = ProfIn({"report", "run.prof", "--steps"});
  CHECK(none.exit_code() != 0);
  CHECK_THAT(none.err, Contains("there are no steps: no range is entered 3 times or more"));
  SnapshotBuilder builder;
  for (int64_t i = 0; i < 5; ++i) {
    builder.Range("step", i * 100'000, i * 100'000 + 90'000);
    builder.Kernel(builder.Shape("saxpy", {132}, {256}), "", i * 100'000 + 20'000,
                   i * 100'000 + 60'000);
  }
  RecordingFolder()->Write("steps.prof", builder.Bytes());
  const Ended ended = ProfIn({"report", "steps.prof", "--steps"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("n = 4, median 100 us") &&
                            Contains("The critical path of the steps") && Contains("saxpy"));
  const Ended json = ProfIn({"report", "steps.prof", "--json", "--steps"});
  CHECK(nlohmann::json::parse(json.out)["steps"]["counted"] == 4);
  const Ended without = ProfIn({"report", "steps.prof", "--json"});
  CHECK_FALSE(nlohmann::json::parse(without.out).contains("steps"));
}

TEST_CASE("prof report --source prints a file with its times, or why it cannot") {
  const Ended none = ProfIn({"report", "run.prof", "--source", "train.py"});
  CHECK(none.exit_code() != 0);
  CHECK_THAT(none.err, Contains("has no stacks: record with --python-stacks"));
  const Folder& folder = *RecordingFolder();
  folder.Write("train.py", "import model\nfor step in range(9):\n    model(step)\n");
  SnapshotBuilder builder;
  PythonStacks python;
  const uint32_t main = python.Stack(0, "<module>", folder.File("train.py"), 3);
  const uint32_t saxpy = builder.Shape("saxpy", {132}, {256});
  python.of_call[builder.Kernel(saxpy, "", 10'000, 60'000)] = main;
  python.of_call[builder.Kernel(saxpy, "", 60'000, 70'000)] =
      python.Stack(main, "forward", "/gone/model.py", 12);
  builder.edit = [&](wire::Block& block) { python.AddTo(&block); };
  folder.Write("stacks.prof", builder.Bytes());
  const Ended ended = ProfIn({"report", "stacks.prof", "--source", "train.py"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("60.0 us  100.0  50.0 us") && Contains("    model(step)"));
  const Ended gone = ProfIn({"report", "stacks.prof", "--source", "model.py"});
  CHECK(gone.exit_code() != 0);
  CHECK_THAT(gone.err, Contains("cannot read /gone/model.py: name a copy of it"));
  folder.Write("model.py", "def forward():\n");
  const Ended copy = ProfIn({"report", "stacks.prof", "--source", "model.py"});
  CHECK(copy.exit_code() == 0);
  CHECK_THAT(copy.out, Contains("(the file has no such line)"));
  CHECK_THAT(copy.err, Contains("model.py was changed after the recording"));
}

TEST_CASE("prof report --details has the signatures with their evidence") {
  CHECK_THAT(ProfIn({"report", "run.prof"}).out, !Contains("Signatures, with the evidence"));
  CHECK_THAT(ProfIn({"report", "run.prof", "--details"}).out,
             Contains("Signatures, with the evidence"));
}

TEST_CASE("prof report has the width, color and order that were asked for") {
  const Ended wide = ProfIn({"report", "run.prof", "--width", "200", "--color", "always"});
  CHECK(wide.exit_code() == 0);
  CHECK_THAT(wide.out, Contains("\033[1m"));
  const Ended sorted = ProfIn({"report", "run.prof", "--sort", "name"});
  CHECK(sorted.exit_code() == 0);
  const std::string kernels = sorted.out.substr(sorted.out.find("\nKernels\n"));
  CHECK(kernels.find("  reduce") < kernels.find("  saxpy"));
}

TEST_CASE("A word that an option does not take is named with those that it takes") {
  const Ended order = ProfIn({"report", "run.prof", "--sort", "nmae"});
  CHECK(order.exit_code() == 2);
  CHECK_THAT(order.err,
             Contains("--sort: 'nmae' is not one of time, calls, average, gain, name, total, cpu, "
                      "cpu-total. Did you mean 'name'?"));
  CHECK_THAT(ProfIn({"report", "run.prof", "--sort", "2"}).err,
             Contains("--sort: '2' is not one of") && !Contains("Did you mean"));
  const Ended color = ProfIn({"report", "run.prof", "--color", "blue"});
  CHECK(color.exit_code() == 2);
  CHECK_THAT(color.err, Contains("--color: 'blue' is not one of auto, always, never"));
}

TEST_CASE("A recording without ops, shapes or modules names the option that records them") {
  for (const auto& [option, way_out] : std::vector<std::pair<std::string, std::string>>{
           {"--ops", "record with prof run --torch ops;"},
           {"--shapes", "record with prof run --torch ops --torch-shapes;"},
           {"--modules", "record with prof run --torch modules;"}}) {
    const Ended ended = ProfIn({"report", "run.prof", option});
    CHECK(ended.exit_code() == 2);
    CHECK_THAT(ended.err, Contains(way_out));
  }
}

// What `prof report` shows on a terminal of 10 lines.
std::string OnSmallTerminal(const std::string& pager, const std::string& arguments) {
  const std::string line = "stty rows 10 cols 100; '" PROF_PROGRAM "' report run.prof " + arguments;
  return Program({"/usr/bin/script", "-qec", line, "/dev/null"}, RecordingFolder()->path(),
                 {"TERM=dumb", "PAGER=" + pager})
      .Wait()
      .out;
}

TEST_CASE("A report that is longer than the terminal goes to the pager") {
  CHECK_THAT(OnSmallTerminal("sed s/^/paged:/", ""), Contains("paged:prof"));
  CHECK_THAT(OnSmallTerminal("sed s/^/paged:/", "--no-pager"),
             !Contains("paged:") && Contains("Ranges"));
  CHECK_THAT(OnSmallTerminal("cat", ""), Contains("Ranges"));
  CHECK_THAT(OnSmallTerminal("prof_has_no_such_pager", ""), Contains("Ranges"));
}

TEST_CASE("prof report --top shows that many kernels and sums up the others") {
  const Ended ended = ProfIn({"report", "run.prof", "--top", "1"});
  CHECK_THAT(ended.out, Contains("and 1 more kernels with 10.0 us in all"));
}

TEST_CASE("prof report -o writes the file and nothing else") {
  const Ended ended = ProfIn({"report", "run.prof", "-o", "report.txt"});
  CHECK(ended.exit_code() == 0);
  CHECK(ended.out.empty());
  CHECK(RecordingFolder()->Read("report.txt") == ProfIn({"report", "run.prof"}).out);
  CHECK(ProfIn({"report", "run.prof", "-o", "-"}).out == ProfIn({"report", "run.prof"}).out);
  CHECK_FALSE(std::filesystem::exists(RecordingFolder()->File("-")));
  const Ended failed = ProfIn({"report", "run.prof", "-o", "missing/report.txt"});
  CHECK(failed.exit_code() == 2);
  CHECK_THAT(failed.err, Contains("missing/report.txt") && Contains("No such file"));
}

TEST_CASE("A report never replaces its own recording") {
  RecordingFolder()->Write("kept.prof", Recording());
  for (const char* output : {"kept.prof", "./kept.prof"}) {
    const Ended ended = ProfIn({"report", "run.prof", "kept.prof", "-o", output});
    CHECK(ended.exit_code() == 2);
    CHECK_THAT(ended.err, Contains(output) && Contains("is a file that is read (kept.prof)"));
  }
  CHECK((RecordingFolder()->Read("kept.prof") == Recording()));
}

TEST_CASE("A folder as the report's output is refused before the analysis") {
  const Ended ended = ProfIn({"report", "garbage.prof", "-o", "."});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("-o '.' is a folder") && !Contains("garbage"));
}

TEST_CASE("A full disk is an error, not a short report") {
  const Ended ended = ProfIn({"report", "run.prof", "-o", "/dev/full"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("/dev/full") && Contains("No space left"));
}

TEST_CASE("An unreadable recording is named with its cause and the way out") {
  RecordingFolder()->Write("garbage.prof", "this is not a recording");
  RecordingFolder()->Write("empty.prof", "");
  for (const char* command : {"report", "info"}) {
    for (const auto& [file, cause] : std::vector<std::pair<std::string, std::string>>{
             {"missing.prof", "No such file"},
             {"garbage.prof", "not a recording of prof"},
             {"empty.prof", "the recording is empty"},
             {".", "folder"}}) {
      const Ended ended = ProfIn({command, file});
      CHECK(ended.exit_code() == 2);
      CHECK(ended.out.empty());
      CHECK_THAT(ended.err, Contains(file) && Contains(cause));
    }
  }
}

TEST_CASE("One unreadable file among several does not keep the others from being reported") {
  const Ended ended = ProfIn({"report", "missing.prof", "run.prof"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("missing.prof"));
  CHECK_THAT(ended.out, Contains("==> run.prof <==") && Contains("saxpy"));
}

TEST_CASE("A recording that was cut off is reported up to the cut, and the report names it") {
  const std::string bytes = Recording();
  RecordingFolder()->Write("cut.prof", bytes.substr(0, bytes.size() - 5));
  const Ended ended = ProfIn({"report", "cut.prof"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("cannot be read") && Contains("saxpy"));
  CHECK(ended.out.find("INCOMPLETE") < ended.out.find("span "));
  CHECK_THAT(ended.err, Contains("'cut.prof' is not complete") && Contains("cannot be read"));
}

TEST_CASE(
    "With --strict a recording that is cut, damaged or goes on behind its end gives status 3") {
  const std::string bytes = Recording();
  std::string flipped = bytes;
  flipped[flipped.size() - 20] ^= 1;  // in the last of three blocks
  const std::vector<std::pair<std::string, std::string>> files = {
      {bytes.substr(0, bytes.size() - 5), "cannot be read"},
      {flipped, "cannot be read"},
      {bytes + bytes, "another recording"},
      {bytes + "x", "other bytes"}};
  for (const auto& [content, cause] : files) {
    RecordingFolder()->Write("strict.prof", content);
    for (const char* command : {"report", "info"}) {
      const Ended strict = ProfIn({command, "--strict", "strict.prof"});
      CHECK(strict.exit_code() == 3);
      CHECK_THAT(strict.err, Contains("'strict.prof' is not complete") && Contains(cause));
      CHECK_THAT(strict.out, Contains(cause));
      CHECK(ProfIn({command, "strict.prof"}).exit_code() == 0);
      CHECK(ProfIn({command, "--strict", "run.prof"}).exit_code() == 0);
    }
  }
  CHECK(ProfIn({"report", "--strict", "run.prof", "strict.prof"}).exit_code() == 3);
  CHECK(ProfIn({"report", "--strict", "missing.prof", "strict.prof"}).exit_code() == 2);
}

TEST_CASE(
    "Options of a report that have no effect beside another are named, and nothing is printed") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> conflicts = {
      {{"--kernel", "sax", "--range", "step"},
       "--kernel prints one part of the report: leave out --range"},
      {{"--html", "x.html", "--by-line"}, "to its own file: leave out --by-line"},
      {{"--html", "x.html", "--details", "--top", "3"}, "leave out --details, --top"},
      {{"--html", "x.html", "--kernel", "sax", "-o", "x"}, "leave out --kernel, --output"},
      {{"--instances", "--kernel", "sax"},
       "--kernel prints one part of the report: leave out --instances"},
      {{"--ops", "--shapes"}, "--ops prints one part of the report: leave out --shapes"},
      {{"--by-line", "--steps"}, "leave out --by-line"},
      {{"--source", "a.py", "--top", "3"},
       "--source prints one part of the report: leave out --top"},
      {{"--json", "--range", "step"}, "--json prints everything: leave out --range"},
      {{"--csv", "--steps"}, "--csv prints all kernels: leave out --steps"},
      {{"--csv", "--sort", "name"}, "--csv prints all kernels: leave out --sort"},
      {{"--json", "--csv"}, "--json prints everything: leave out --csv"}};
  for (const auto& [options, message] : conflicts) {
    std::vector<std::string> line = {"report", "run.prof"};
    line.insert(line.end(), options.begin(), options.end());
    const Ended ended = ProfIn(line);
    INFO(message);
    CHECK(ended.exit_code() == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, Contains(message));
  }
  CHECK_FALSE(std::filesystem::exists(RecordingFolder()->File("x.html")));
}

TEST_CASE("Options of a report that have an effect together are taken together") {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--details", "--instances", "--top", "3", "--sort", "name"},
           {"--kernel", "sax", "--top", "1", "-o", "x.txt"},
           {"--range", "step", "--instances", "--sort", "name", "--top", "3"},
           {"--json", "--kernel", "sax", "--width", "100", "--color", "never", "--no-pager"},
           {"--csv", "--kernel", "sax", "-o", "x.csv", "--strict"}}) {
    std::vector<std::string> line = {"report", "run.prof"};
    line.insert(line.end(), options.begin(), options.end());
    const Ended ended = ProfIn(line);
    INFO(options[0] << ": " << ended.err);
    CHECK(ended.exit_code() == 0);
  }
}

TEST_CASE("A pipe that nobody writes is an error after a few seconds, not a wait without end") {
  const std::string pipe = RecordingFolder()->path() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const Ended ended = ProfIn({"report", "pipe"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("'pipe'") && Contains("no program has opened this pipe"));
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << Recording(); });
  const Ended read = ProfIn({"report", "pipe"});
  writer.join();
  CHECK(read.exit_code() == 0);
  CHECK_THAT(read.out, Contains("saxpy"));
}

TEST_CASE("prof info prints what a recording holds") {
  const Ended ended = ProfIn({"info", "run.prof"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("./app") && Contains("NVIDIA H200") && Contains(kDram) &&
                            Contains("stopped in order") && Contains("nothing was lost"));
}

TEST_CASE("prof report --html writes one file for one recording, or prints why this build cannot") {
  const Ended two = ProfIn({"report", "run.prof", "run.prof", "--html", "page.html"});
  CHECK(two.exit_code() == 2);
  CHECK_THAT(two.err, Contains("--html takes one file"));
  const Ended one = ProfIn({"report", "run.prof", "--html", "page.html"});
  if (one.exit_code() == 0) {
    CHECK_THAT(one.err, Contains("prof: wrote page.html (") && Contains("open it in a browser"));
  } else {
    CHECK_THAT(one.err, Contains("without its HTML report"));
  }
  CHECK(one.out.empty());
  CHECK(ProfIn({"report", "run.prof", "--html", "no/such/page.html"}).exit_code() == 2);
}

TEST_CASE("prof report --html - writes the page to standard output") {
  const Ended ended = ProfIn({"report", "run.prof", "--html", "-"});
  if (ended.exit_code() == 0) {
    CHECK(ended.out.rfind("<!", 0) == 0);
    CHECK_THAT(ended.out, Contains("</html>"));
    CHECK(ended.err.empty());
  } else {
    CHECK_THAT(ended.err, Contains("without its HTML report"));
    CHECK(ended.out.empty());
  }
  CHECK_FALSE(std::filesystem::exists(RecordingFolder()->File("-")));
}

TEST_CASE("Usage errors exit with 2 and name what is wrong") {
  CHECK(ProfIn({"report"}).exit_code() == 2);
  CHECK(ProfIn({"report", "run.prof", "--json", "--csv"}).exit_code() == 2);
  CHECK(ProfIn({"report", "run.prof", "run.prof", "--json"}).exit_code() == 2);
  for (const char* all_rows : {"--json", "--csv"}) {
    const Ended no_effect = ProfIn({"report", "run.prof", "--top", "3", all_rows});
    CHECK(no_effect.exit_code() == 2);
    CHECK_THAT(no_effect.err, Contains("--top") && Contains(all_rows));
  }
  const Ended top = ProfIn({"report", "run.prof", "--top", "0"});
  CHECK(top.exit_code() == 2);
  CHECK_THAT(top.err, Contains("--top"));
}

}  // namespace
}  // namespace prof::test::report_command_test
