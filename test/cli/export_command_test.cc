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

namespace prof::test {
namespace {

Folder* RecordingFolder() {
  static Folder folder;
  SnapshotBuilder builder;
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  builder.Kernel(saxpy, "step", 10'000, 60'000);
  builder.Kernel(saxpy, "step", 70'000, 120'000);
  folder.Write("run.prof", builder.Bytes());
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
  CHECK(rows({"--range", "other"}) == 0);
  CHECK(rows({"--gpu", "1"}) == 0);
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
  CHECK_THAT(ProfIn({"export", "--to", "csv", "run.prof", "-o", "run.prof"}).err,
             Contains("the recording itself"));
  CHECK(ProfIn({"export", "run.prof"}).exit_code() == 2);
}

}  // namespace
}  // namespace prof::test
