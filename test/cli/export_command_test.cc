// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::export_command_test {
namespace {

std::string TwoKernels(int blocks = 1) {
  SnapshotBuilder builder;
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  builder.Kernel(saxpy, "step", 10'000, 60'000);
  builder.Kernel(saxpy, "step", 70'000, 120'000);
  return builder.Bytes(blocks);
}

Folder* RecordingFolder() {
  static Folder folder;
  folder.Write("run.prof", TwoKernels());
  return &folder;
}

Ended ProfIn(const std::vector<std::string>& arguments) {
  return Prof(arguments, RecordingFolder()->path());
}

TEST_CASE("prof export writes a file named after the recording and its format") {
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"perfetto", "run.pftrace"}, {"chrome", "run.trace.json"},
      {"sqlite", "run.sqlite"},    {"speedscope", "run.speedscope.json"},
      {"pprof", "run.pb.gz"},      {"csv", "run.launches.csv"}};
  for (const auto& [format, file] : formats) {
    INFO(format);
    const Ended ended = ProfIn({"export", "--to", format, "run.prof"});
    CHECK(ended.exit_code() == 0);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, Contains("wrote " + file + " (2 operations)"));
    CHECK_FALSE(RecordingFolder()->Read(file).empty());
  }
}

TEST_CASE("prof export -o - writes to standard output") {
  const Ended ended = ProfIn({"export", "--to", "chrome", "run.prof", "-o", "-"});
  CHECK(ended.exit_code() == 0);
  CHECK(nlohmann::json::parse(ended.out, nullptr, false).contains("traceEvents"));
  CHECK(ProfIn({"export", "--to", "sqlite", "run.prof", "-o", "-"}).exit_code() == 2);
}

TEST_CASE("prof export writes the part that its options name") {
  const auto rows = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"export", "--to", "csv", "run.prof", "-o", "-"});
    const Ended ended = ProfIn(options);
    CHECK(ended.exit_code() == 0);
    return std::count(ended.out.begin(), ended.out.end(), '\n') - 1;
  };
  CHECK(rows({}) == 2);
  CHECK(rows({"--keep", "1"}) == 1);
  CHECK(rows({"--from-time", "65us"}) == 1);
  CHECK(rows({"--to-time", "0.000065s"}) == 1);
  CHECK(rows({"--range", "^step$"}) == 2);
  CHECK(rows({"--gpu", "0"}) == 2);
  CHECK(rows({"--from-time", "62us", "--to-time", "68us"}) == 0);
}

TEST_CASE("A part that the recording does not have is an error that names what it has") {
  const auto refusal = [](const std::vector<std::string>& options) {
    std::vector<std::string> line = {"export", "--to", "csv", "run.prof", "-o", "none.csv"};
    line.insert(line.end(), options.begin(), options.end());
    const Ended ended = ProfIn(line);
    CHECK(ended.exit_code() == 2);
    CHECK_THAT(ended.err, !Contains("wrote"));
    CHECK(RecordingFolder()->Read("none.csv").empty());
    return ended.err;
  };
  CHECK_THAT(refusal({"--range", "nosuch"}), Contains("no range matches 'nosuch': step"));
  CHECK_THAT(refusal({"--gpu", "7"}), Contains("the recording has no GPU 7: it has 0"));
  CHECK_THAT(refusal({"--from-time", "2s", "--to-time", "1s"}),
             Contains("the time from 2.00 s to 1.00 s is empty"));
  CHECK_THAT(refusal({"--from-time", "5s"}),
             Contains("nothing was recorded from 5.00 s on: the recording ends after "));
  CHECK_THAT(refusal({"--from-time", "8000000000s"}), Contains("nothing was recorded from "));
  CHECK_THAT(refusal({"--table", "kernels", "--range", "step"}),
             Contains("the table kernels is of the whole recording"));
}

TEST_CASE("A part without operations is written, and that is noted") {
  const Ended ended =
      ProfIn({"export", "--to", "folded", "run.prof", "--from-time", "62us", "--to-time", "68us"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.err, Contains("no operation that has a time is in the part") &&
                            Contains("wrote run.folded (0 operations; 2 left out)"));
}

TEST_CASE("A table comes with the number of its rows, and without rows with the reason") {
  const auto written = [](const std::string& table) {
    const Ended ended = ProfIn({"export", "--to", "csv", "--table", table, "run.prof"});
    CHECK(ended.exit_code() == 0);
    return ended.err;
  };
  CHECK_THAT(written("kernels"), Contains("wrote run.kernels.csv (1 row)"));
  CHECK_THAT(written("calls"), Contains("wrote run.calls.csv (2 rows)") && !Contains("no rows"));
  CHECK_THAT(written("counters"), Contains("the table counters has no rows: no counters of") &&
                                      Contains("prof run --counters sol") &&
                                      Contains("wrote run.counters.csv (0 rows)"));
}

TEST_CASE("A table is for csv alone") {
  const Ended ended = ProfIn({"export", "--to", "perfetto", "--table", "kernels", "run.prof"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("--table kernels has no effect with --to perfetto"));
  CHECK_THAT(ProfIn({"export", "--to", "csv", "--table", "kernel", "run.prof"}).err,
             Contains("'kernel' is not one of kernels, launches, counters, ranges, calls. Did you "
                      "mean 'kernels'?"));
}

TEST_CASE("What a recording that was cut off lacks is printed once") {
  const std::string bytes = TwoKernels(3);
  RecordingFolder()->Write("cut.prof", bytes.substr(0, bytes.size() - 5));
  for (const char* format : {"perfetto", "csv"}) {
    const Ended ended = ProfIn({"export", "--to", format, "cut.prof"});
    CHECK(ended.exit_code() == 0);
    const size_t first = ended.err.find("cannot be read");
    REQUIRE(first != std::string::npos);
    CHECK(ended.err.find("cannot be read", first + 1) == std::string::npos);
  }
}

TEST_CASE("With --strict the export of a recording that is not complete gives status 3") {
  const std::string bytes = TwoKernels(3);
  RecordingFolder()->Write("cut.prof", bytes.substr(0, bytes.size() - 5));
  for (const char* format : {"perfetto", "csv", "folded"}) {
    const Ended strict = ProfIn({"export", "--strict", "--to", format, "cut.prof"});
    CHECK(strict.exit_code() == 3);
    CHECK_THAT(strict.err, Contains("'cut.prof' is not complete") && Contains("wrote cut."));
    CHECK(ProfIn({"export", "--to", format, "cut.prof"}).exit_code() == 0);
    CHECK(ProfIn({"export", "--strict", "--to", format, "run.prof"}).exit_code() == 0);
    CHECK(ProfIn({"export", "--strict", "--to", format, "cut.prof", "-o", "-"}).exit_code() == 3);
  }
}

TEST_CASE("An error of prof export names the way out") {
  CHECK_THAT(ProfIn({"export", "--to", "parquet", "run.prof"}).err,
             Contains("python -m prof export --to parquet"));
  CHECK_THAT(ProfIn({"export", "--to", "x", "run.prof"}).err, Contains("perfetto, chrome"));
  CHECK_THAT(ProfIn({"export", "--to", "csv", "run.prof", "--from-time", "5"}).err,
             Contains("20ms"));
  CHECK_THAT(ProfIn({"export", "--to", "csv", "run.prof", "--range", "("}).err,
             Contains("regular expression"));
  CHECK_THAT(ProfIn({"export", "--to", "csv", "none.prof"}).err, Contains("none.prof"));
  RecordingFolder()->Write("empty.prof", "");
  CHECK_THAT(ProfIn({"export", "--to", "csv", "empty.prof"}).err,
             Contains("cannot read empty.prof: the recording is empty"));
  CHECK_THAT(ProfIn({"export", "--to", "csv", "run.prof", "-o", "run.prof"}).err,
             Contains("is a file that is read (run.prof)"));
  CHECK(ProfIn({"export", "run.prof"}).exit_code() == 2);
}

}  // namespace
}  // namespace prof::test::export_command_test
