// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/recorded_timelines.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "lib/eval/timeline_score.h"
#include "lib/eval/zoo.h"
#include "test/analyzer/timelines/timelines.h"
#include "test/support/catch.h"

namespace prof::eval::recorded_timelines_test {
namespace {

// What the experiment writes, of two timelines that are simulated here.
constexpr char kList[] = R"({"format": 1, "seed": 7, "hardware": "a GPU", "commit": "0123456789ab",
  "rows": [
    {"kind": "waits", "steps": 20, "bare_s": 0.3, "expected": ["sync-bound"],
     "harmful": ["launch-bound", "cuda-graph"], "needs_counters": false,
     "recordings": {"timeline": "waits.prof", "default": "waits_default.prof"}},
    {"kind": "clean", "steps": 20, "bare_s": 0.3, "expected": [], "harmful": ["sync-bound"],
     "recordings": {"timeline": "clean.prof"}}
  ]})";

std::string Recording(const std::string& id, double sampled_share = 0) {
  for (const test::TimelineCase& timeline : test::TimelineCases()) {
    if (timeline.id != id) continue;
    test::SimulatedProf prof;
    prof.sampled_share = sampled_share;
    test::SimulatedRun run(1, prof);
    timeline.run(&run, false);
    return run.Recorded();
  }
  return "";
}

// A folder beside the test program, with the list and its recordings.
std::filesystem::path Folder(const std::string& name, const std::string& list = kList) {
  const std::filesystem::path folder = std::filesystem::path(PROF_ZOO_FOLDER) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / kTimelinesFile) << list;
  const auto write = [&](const char* file, const std::string& bytes) {
    std::ofstream(folder / file, std::ios::binary) << bytes;
  };
  write("waits.prof", Recording("T03"));
  write("waits_default.prof", Recording("T03", 0.05));
  write("clean.prof", Recording("T16"));
  return folder;
}

std::string Replaced(const std::string& from, const std::string& to) {
  std::string list = kList;
  list.replace(list.find(from), from.size(), to);
  return list;
}

TEST_CASE("A recorded timeline is judged by the findings of its recordings") {
  const PlantedTimelines planted = ReadTimelines(Folder("timelines").string());
  REQUIRE(planted.error.empty());
  REQUIRE(planted.timelines.size() == 2);
  CHECK(planted.timelines[0].kind == "waits");
  CHECK_FALSE(planted.timelines[1].with_default);
  const TimelineScore score = ScoreTimelines(planted, TimelineForm::kTimeline);
  CHECK(score.found.part == 1);
  CHECK(score.found.all == 1);
  CHECK(score.first.part == 1);
  CHECK(score.quiet.part == 1);
  CHECK(score.harmless.part == 2);
  CHECK(ScoreTimelines(planted, TimelineForm::kDefault).not_recorded == 1);
  CHECK(CompareForms(planted).same.all == 1);
}

TEST_CASE("A list of timelines has no kernels, and is no error beside them") {
  const Zoo zoo = ReadZoo(Folder("timelines_alone").string());
  CHECK(zoo.error.empty());
  CHECK(zoo.kernels.empty());
  const PlantedTimelines none = ReadTimelines(PROF_TEST_DATA "/zoo");
  CHECK(none.error.empty());
  CHECK(none.timelines.empty());
}

TEST_CASE("A recording that is missing, damaged or elsewhere is an error with its name") {
  const std::filesystem::path folder = Folder("timelines_damaged");
  std::ofstream(folder / "clean.prof") << "no recording";
  CHECK(ReadTimelines(folder.string()).error.find("clean.prof") != std::string::npos);
  CHECK(ReadTimelines(folder.string()).timelines.empty());
  std::filesystem::remove(folder / "clean.prof");
  const std::string missing = ReadTimelines(folder.string()).error;
  CHECK(missing.find("clean.prof is missing") != std::string::npos);
  CHECK(missing.find("coverage_timelines") != std::string::npos);
  const auto elsewhere = Folder("timelines_elsewhere", Replaced("clean.prof", "../clean.prof"));
  CHECK(ReadTimelines(elsewhere.string()).error.find("../clean.prof") != std::string::npos);
}

TEST_CASE("A list of another format, with an unknown finding or without a field is an error") {
  const auto error_of = [](const std::string& list) {
    return ReadTimelines(Folder("timelines_broken", list).string()).error;
  };
  const std::string format = error_of(Replaced("\"format\": 1", "\"format\": 9"));
  CHECK(format.find("its format is 9") != std::string::npos);
  CHECK(format.find(kTimelinesFile) != std::string::npos);
  const std::string unknown = error_of(Replaced("cuda-graph", "cuda-graphs"));
  CHECK(unknown.find("waits: no finding is called \"cuda-graphs\"") != std::string::npos);
  CHECK(unknown.find("rules.md") != std::string::npos);
  CHECK(error_of(Replaced("\"expected\"", "\"wanted\"")).find("expected") != std::string::npos);
  CHECK(error_of("{").find("no JSON") != std::string::npos);
}

TEST_CASE("A recording of an unknown form, and a timeline without one, are errors with its kind") {
  const auto error = [](const std::string& from, const std::string& to) {
    return ReadTimelines(Folder("timeline_forms", Replaced(from, to)).string()).error;
  };
  CHECK_THAT(error("\"timeline\": \"clean.prof\"", "\"defualt\": \"clean.prof\""),
             Catch::Contains("clean: no form of a recording is called \"defualt\""));
  CHECK_THAT(error("{\"timeline\": \"clean.prof\"}", "{}"),
             Catch::Contains("clean: it has no recording"));
  CHECK_THAT(error("\"expected\": []", "\"expekted\": []"), Catch::Contains("in row 1"));
}

}  // namespace
}  // namespace prof::eval::recorded_timelines_test
