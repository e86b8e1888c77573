// SPDX-License-Identifier: Apache-2.0
//
// prof compare, noise, baseline and check, as users run them.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::compare_command_test {
namespace {

using Words = std::vector<std::string>;

// Ten launches of saxpy, each of `time_ns`.
std::string Recording(int64_t time_ns, uint32_t pid, uint32_t sm_count = 132,
                      const std::string& command = "./app") {
  SnapshotBuilder builder;
  builder.process.pid = pid;
  builder.process.command = command;
  model::Device device = H200();
  device.sm_count = sm_count;
  builder.Device(device);
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  for (int64_t i = 0; i < 10; ++i) {
    builder.Kernel(saxpy, "step", 10'000 + i * 1'000'000, 10'000 + i * 1'000'000 + time_ns);
  }
  return builder.Bytes();
}

// Seven runs of each: base/*.prof around 500 us, slow/*.prof 20 % longer, equal/*.prof as base.
Folder* Recordings() {
  static Folder& folder = *[] {
    auto* made = new Folder();
    const auto write = [&](const std::string& name, int64_t time_ns, uint32_t first_pid) {
      std::filesystem::create_directory(made->File(name));
      for (uint32_t run = 0; run < 7; ++run) {
        made->Write(name + "/" + std::to_string(run) + ".prof",
                    Recording(time_ns + 300 * run, first_pid + run));
      }
    };
    write("base", 500'000, 100);
    write("slow", 600'000, 200);
    write("equal", 500'100, 300);
    made->Write("other.prof", Recording(500'000, 400, 66));
    return made;
  }();
  return &folder;
}

Ended ProfIn(const Words& arguments) { return Prof(arguments, Recordings()->path()); }

TEST_CASE("prof compare finds a slow-down between two folders of runs") {
  const Ended ended = ProfIn({"compare", "base", "slow"});
  CHECK(ended.exit_code() == 0);
  CHECK(ended.err.empty());
  CHECK_THAT(ended.out, Contains("before: 7 runs on") && Contains("saxpy") && Contains("slower"));
}

TEST_CASE("prof compare takes lists of files, and prints JSON") {
  const Ended ended = ProfIn({"compare", "--before", "base/0.prof", "base/1.prof", "--after",
                              "slow/0.prof", "slow/1.prof", "--json"});
  CHECK(ended.exit_code() == 0);
  const nlohmann::json json = nlohmann::json::parse(ended.out);
  CHECK(json["runs_before"] == 2);
  CHECK(json["overall"] == "inconclusive");
  CHECK(json["runs_needed"] > 2);
}

TEST_CASE("prof compare writes a page for a browser, or says why it cannot") {
  const Ended ended = ProfIn({"compare", "--html", "page.html", "base", "slow"});
  CHECK(ended.out.empty());
  if (ended.exit_code() != 0) {
    CHECK_THAT(ended.err, Contains("without its HTML report"));
    return;
  }
  CHECK_THAT(ended.err, Contains("wrote page.html"));
  CHECK_THAT(Recordings()->Read("page.html"),
             Contains("<!doctype html>") && Contains("id=\"comparison\"") && Contains("saxpy"));
}

TEST_CASE("prof compare replaces no recording, and prints nothing beside a page") {
  const std::string recording = Recordings()->Read("base/0.prof");
  const Ended same = ProfIn({"compare", "base/0.prof", "slow/0.prof", "--html", "base/0.prof"});
  CHECK(same.exit_code() == 2);
  CHECK_THAT(same.err, Contains("--html 'base/0.prof' is a file that is read"));
  CHECK(Recordings()->Read("base/0.prof") == recording);
  const Ended both = ProfIn({"compare", "base", "slow", "--html", "page.html", "--json"});
  CHECK(both.exit_code() == 2);
  CHECK_THAT(both.err, Contains("leave out --json"));
}

TEST_CASE("prof compare refuses other devices, one side, and the same recording twice") {
  const Ended devices = ProfIn({"compare", "base/0.prof", "other.prof"});
  CHECK(devices.exit_code() == 2);
  CHECK_THAT(devices.err, Contains("the devices differ") && Contains("--across"));
  CHECK(ProfIn({"compare", "--across", "base/0.prof", "other.prof"}).exit_code() == 0);
  CHECK(ProfIn({"compare", "base"}).exit_code() == 2);
  const Ended twice =
      ProfIn({"compare", "--before", "base/0.prof", "base/0.prof", "--after", "slow"});
  CHECK(twice.exit_code() == 2);
  CHECK_THAT(twice.err, Contains("same recording") && Contains("base/0.prof"));
  CHECK_THAT(ProfIn({"compare", "base", "missing.prof"}).err, Contains("missing.prof"));
}

TEST_CASE("With --strict a comparison with a recording that is not complete gives status 3") {
  const std::string bytes = Recording(500'000, 900);
  Recordings()->Write("cut.prof", bytes + "x");
  for (const Words& sides : {Words{"base/0.prof", "cut.prof"}, Words{"cut.prof", "base/0.prof"}}) {
    const Ended strict = ProfIn({"compare", "--strict", sides[0], sides[1]});
    CHECK(strict.exit_code() == 3);
    CHECK_THAT(strict.err, Contains("'cut.prof' is not complete"));
    CHECK_THAT(strict.out, Contains("saxpy"));
    CHECK(ProfIn({"compare", sides[0], sides[1]}).exit_code() == 0);
  }
  CHECK(ProfIn({"compare", "--strict", "base/0.prof", "base/1.prof"}).exit_code() == 0);
  CHECK(ProfIn({"compare", "--strict", "cut.prof", "missing.prof"}).exit_code() == 2);
}

TEST_CASE("prof compare of a recording with itself has a note that nothing can differ") {
  const Ended ended = ProfIn({"compare", "base/0.prof", "base/0.prof"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("note:   both sides are the same recording: nothing can differ"));
  CHECK_THAT(ProfIn({"compare", "base", "slow"}).out, !Contains("same recording"));
}

TEST_CASE("A file that cannot be read is named once") {
  Recordings()->Write("junk.prof", "junk");
  const std::string file = Recordings()->File("junk.json");
  REQUIRE(ProfIn({"baseline", "write", file, "base"}).exit_code() == 0);
  for (const Words& arguments :
       {Words{"compare", "junk.prof", "base"}, Words{"compare", "base", "junk.prof"},
        Words{"check", "--baseline", file, "junk.prof"}, Words{"noise", "base", "junk.prof"},
        Words{"baseline", "write", "new.json", "junk.prof"}}) {
    const Ended ended = ProfIn(arguments);
    CHECK(ended.exit_code() == 2);
    CHECK_THAT(ended.err, Contains("cannot read junk.prof: this is not a recording of prof"));
    CHECK(ended.err.find("junk.prof") == ended.err.rfind("junk.prof"));
  }
}

TEST_CASE("prof noise and prof baseline refuse recordings of several programs, and name them") {
  const auto write = [](const char* name, int64_t time_ns, uint32_t pid, const char* command) {
    Recordings()->Write(name, Recording(time_ns, pid, 132, command));
  };
  write("app1.prof", 500'000, 501, "python3 train.py --out /tmp/run.1");
  write("app2.prof", 500'100, 502, "/usr/bin/python3.11 -u src/train.py --out /tmp/run.2");
  write("app3.prof", 500'200, 503, "python3 train.py --out /tmp/run.3");
  write("bench.prof", 900'000, 504, "python3 bench.py");
  const std::string file = Recordings()->File("programs.json");
  std::filesystem::remove(file);
  for (const Words& start :
       {Words{"noise"}, Words{"baseline", "write", file}, Words{"baseline", "update", file}}) {
    Words arguments = start;
    for (const char* name : {"app1.prof", "app2.prof", "app3.prof"}) arguments.emplace_back(name);
    const Ended equal = ProfIn(arguments);
    CHECK(equal.exit_code() == 0);
    arguments.emplace_back("bench.prof");
    const Ended mixed = ProfIn(arguments);
    CHECK(mixed.exit_code() == 2);
    CHECK_THAT(mixed.err, Contains("several programs: run 1 is 'python3 train.py --out "
                                   "/tmp/run.1', run 4 is 'python3 bench.py'") &&
                              Contains("name the recordings of one program") &&
                              Contains("run 4 bench.prof"));
  }
  const Ended shown = ProfIn({"baseline", "show", file});
  CHECK_THAT(shown.out, Contains("3 runs on") && Contains("the commands of the runs differ"));
  CHECK(ProfIn({"compare", "--before", "app1.prof", "bench.prof", "--after", "base"}).exit_code() ==
        0);
}

TEST_CASE("prof baseline and prof check: 0 is fine, 1 a regression, 2 usage, 3 open") {
  const std::string file = Recordings()->File("baseline.json");
  std::filesystem::remove(file);
  CHECK(ProfIn({"check", "--baseline", file, "base"}).exit_code() == 2);
  CHECK(ProfIn({"baseline", "update", file, "base"}).exit_code() == 2);
  REQUIRE(ProfIn({"baseline", "write", file, "base"}).exit_code() == 0);
  CHECK_THAT(ProfIn({"baseline", "show", file}).out, Contains("7 runs on") && Contains("saxpy"));

  const Ended fine = ProfIn({"check", "--baseline", file, "equal"});
  CHECK(fine.exit_code() == 0);
  const Ended slower =
      ProfIn({"check", "--baseline", file, "slow", "--junit", "junit.xml", "--github"});
  CHECK(slower.exit_code() == 1);
  CHECK_THAT(slower.out, Contains("::error title=saxpy in step is slower"));
  CHECK_THAT(Recordings()->Read("junit.xml"), Contains("<failure type=\"slower\""));
  CHECK(ProfIn({"check", "--baseline", file, "slow/0.prof"}).exit_code() == 3);
  CHECK(ProfIn({"check", "--baseline", file, "slow/0.prof", "--allow-inconclusive"}).exit_code() ==
        0);
  CHECK(ProfIn({"check", "base"}).exit_code() == 2);

  const Ended other = ProfIn({"check", "--baseline", file, "other.prof"});
  CHECK(other.exit_code() == 3);
  CHECK_THAT(other.err, Contains("prof baseline update"));
  REQUIRE(ProfIn({"baseline", "update", file, "other.prof"}).exit_code() == 0);
  CHECK(nlohmann::json::parse(Recordings()->Read("baseline.json"))["sets"].size() == 2);
}

// One launch of saxpy with this many instructions, counted.
std::string CountedRecording(double instructions, uint32_t pid) {
  SnapshotBuilder builder;
  builder.process.pid = pid;
  builder.process.command = "./app";
  builder.Device(H200());
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  for (int64_t i = 0; i < 10; ++i) {
    const int64_t start_ns = 10'000 + i * 1'000'000;
    const uint32_t id = builder.Kernel(saxpy, "step", start_ns, start_ns + 500'000 + pid);
    if (i < 4) builder.Sample(id, {{"smsp__inst_executed.sum", instructions}});
  }
  return builder.Bytes();
}

TEST_CASE("prof check fails on more work where it is asked to, whatever the time shows") {
  Recordings()->Write("work1.prof", CountedRecording(1e6, 601));
  Recordings()->Write("work2.prof", CountedRecording(1.2e6, 602));
  Recordings()->Write("work3.prof", CountedRecording(1e6, 603));
  const std::string file = Recordings()->File("work.json");
  std::filesystem::remove(file);
  REQUIRE(ProfIn({"baseline", "write", file, "work1.prof"}).exit_code() == 0);
  const auto check = [&](const char* recording, const Words& more) {
    Words arguments = {"check", "--baseline", file, recording};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ProfIn(arguments);
  };
  const Ended more = check("work2.prof", {"--fail-on", "work"});
  CHECK(more.exit_code() == 1);
  CHECK_THAT(more.out, Contains("it does more work: 1.20 times the instructions"));
  CHECK(check("work2.prof", {}).exit_code() == 3);  // one run
  CHECK(check("work2.prof", {"--fail-on", "any", "--allow-inconclusive"}).exit_code() == 1);
  CHECK(check("work3.prof", {"--fail-on", "work"}).exit_code() == 0);
  CHECK(check("base/0.prof", {"--fail-on", "work"}).exit_code() == 3);  // no counters
  const Ended wrong = check("work3.prof", {"--fail-on", "cycles"});
  CHECK(wrong.exit_code() == 2);
  CHECK_THAT(wrong.err, Contains("--fail-on"));
}

TEST_CASE("prof baseline show of a recording names what the file is, and what makes a baseline") {
  const Ended ended = ProfIn({"baseline", "show", "base/0.prof"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("cannot read base/0.prof: it is a recording, and no baseline") &&
                            Contains("prof baseline write") && !Contains("json"));
  CHECK_THAT(ProfIn({"check", "--baseline", "base/0.prof", "base"}).err,
             Contains("it is a recording, and no baseline"));
}

TEST_CASE("prof baseline does not replace a file that is none") {
  Recordings()->Write("notes.txt", "mine");
  const Ended ended = ProfIn({"baseline", "write", "notes.txt", "base"});
  CHECK(ended.exit_code() == 2);
  CHECK(Recordings()->Read("notes.txt") == "mine");
}

TEST_CASE("prof noise stores the noise of equal runs, and prof compare uses it") {
  const std::string file = Recordings()->File("noise.json");
  std::filesystem::remove(file);
  CHECK(ProfIn({"noise", "base/0.prof", "base/1.prof"}).exit_code() == 2);
  const Ended ended = ProfIn({"noise", "base", "--store", file});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("saxpy") && Contains("noise"));
  const Ended compared = ProfIn({"compare", "--noise", file, "equal", "slow", "--json"});
  CHECK(compared.exit_code() == 0);
  CHECK(nlohmann::json::parse(compared.out)["kernels"][0]["time"]["noise_from"] == "7 equal runs");
}

}  // namespace
}  // namespace prof::test::compare_command_test
