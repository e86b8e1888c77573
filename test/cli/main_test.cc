// SPDX-License-Identifier: Apache-2.0
//
// The words that stand before a command, and help.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/options/option_help.h"
#include "lib/options/option_text.h"
#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::main_test {
namespace {

Ended Run(const std::vector<std::string>& arguments) {
  static const Folder folder;
  return Prof(arguments, folder.path());
}

TEST_CASE("prof alone prints its help on stderr and fails") {
  const Ended ended = Run({});
  CHECK(ended.exit_code() == 2);
  CHECK(ended.out.empty());
  CHECK_THAT(ended.err, Contains("Usage: prof COMMAND") && Contains("Examples:"));
}

TEST_CASE("A word that is no command is named") {
  for (const char* word : {"foo", "run.prof", ""}) {
    const Ended ended = Run({word});
    CHECK(ended.exit_code() == 2);
    CHECK(ended.err == "prof: there is no command '" + std::string(word) +
                           "'. prof --help lists the commands\n");
  }
}

TEST_CASE("A word or an option that is nearly a known one brings up that one") {
  for (const auto& [line, meant] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"repot", "x.prof"}, "Did you mean 'report'?"},
           {{"Info", "x.prof"}, "Did you mean 'info'?"},
           {{"rnu", "true"}, "Did you mean 'run'?"},
           {{"report", "--jsno", "x.prof"}, "Did you mean '--json'?"},
           {{"report", "--kernal=x", "x.prof"}, "Did you mean '--kernel'?"},
           {{"run", "--countres", "all", "--", "true"}, "Did you mean '--counters'?"}}) {
    const Ended ended = Run(line);
    CHECK(ended.exit_code() == 2);
    CHECK_THAT(ended.err, Contains(meant) && Contains("--help"));
  }
}

TEST_CASE("An option that is none is named, and help is pointed to") {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"--bogus"}, std::vector<std::string>{"info", "--bogus", "x"},
        std::vector<std::string>{"run", "--bogus", "true"},
        std::vector<std::string>{"run", "--bogus", "--", "true"}}) {
    const Ended ended = Run(line);
    CHECK(ended.exit_code() == 2);
    CHECK_THAT(ended.err, Contains("--bogus") && Contains("--help"));
  }
}

TEST_CASE("prof --version and --help succeed") {
  const Ended version = Run({"--version"});
  CHECK(version.exit_code() == 0);
  CHECK(version.out.rfind("prof ", 0) == 0);
  const Ended help = Run({"--help"});
  CHECK(help.exit_code() == 0);
  CHECK_THAT(help.out, Contains("run") && Contains("report") && Contains("info") &&
                           Contains("metrics") && Contains("Examples:"));
}

TEST_CASE("prof eval prints how many verdicts are right, and needs a folder of kernels") {
  const Ended ended = Run({"eval", "--kernels", PROF_TEST_DATA "/zoo"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("26 labelled kernels") && Contains("with default options") &&
                            Contains("right: ") && Contains("stream_copy: dram"));
  const Ended missing = Run({"eval", "/nowhere"});
  CHECK(missing.exit_code() == 2);
  CHECK_THAT(missing.err, Contains("/nowhere"));
}

TEST_CASE("prof eval --json has the counts and each verdict, and needs kernels") {
  const Ended ended = Run({"eval", "--json", PROF_TEST_DATA "/zoo"});
  CHECK(ended.exit_code() == 0);
  const auto json = nlohmann::json::parse(ended.out);
  REQUIRE(json["evaluations"].size() == 2);
  for (const auto& evaluation : json["evaluations"]) {
    CHECK(evaluation["kernels"].size() == 26);
    int right = 0, high = 0;
    for (const auto& kernel : evaluation["kernels"]) {
      right += kernel["right"].get<bool>() ? 1 : 0;
      high += kernel["confidence"] == "high" ? 1 : 0;
    }
    CHECK(evaluation["right"]["part"] == right);
    CHECK(evaluation["right"]["all"] == 26);
    CHECK(evaluation["right_by_confidence"]["high"]["all"] == high);
  }
  CHECK(json["evaluations"][0]["form"] == "all");
  CHECK(json["evaluations"][1]["form"] == "default");
  const Ended none = Run({"eval", "--json", PROF_TEST_DATA "/timelines_h200"});
  CHECK(none.exit_code() == 2);
  CHECK_THAT(none.err, Contains("has no labelled kernels"));
  const Ended both = Run({"eval", "--json", "--kernels", PROF_TEST_DATA "/zoo"});
  CHECK(both.exit_code() != 0);
  CHECK_THAT(both.err, Contains("--kernels"));
}

TEST_CASE("prof eval prints how many planted timelines are found, and names a missing recording") {
  const Folder folder;
  folder.Write("timelines.json", R"({"format": 1, "rows": [
    {"kind": "waits", "expected": ["sync-bound"], "harmful": ["launch-bound"],
     "recordings": {"timeline": "waits.prof"}}]})");
  const Ended missing = Run({"eval", folder.path()});
  CHECK(missing.exit_code() == 2);
  CHECK_THAT(missing.err, Contains("timelines.json") && Contains("waits.prof is missing"));
  std::ifstream recording(PROF_TEST_DATA "/wait_in_every_step.prof", std::ios::binary);
  std::ostringstream bytes;
  bytes << recording.rdbuf();
  folder.Write("waits.prof", bytes.str());
  const Ended ended = Run({"eval", "--kernels", folder.path()});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("1 planted timeline\n") && Contains("is found: 1 of 1") &&
                            Contains("waits: sync-bound planted") && !Contains("labelled kernels"));
}

TEST_CASE("prof help COMMAND is prof COMMAND --help") {
  CHECK(Run({"help"}).out == Run({"--help"}).out);
  for (const char* command : {"run", "report", "export", "info", "metrics", "eval"}) {
    const Ended ended = Run({"help", command});
    CHECK(ended.exit_code() == 0);
    CHECK(ended.out == Run({command, "--help"}).out);
    CHECK_THAT(ended.out, Contains(std::string("Usage: prof ") + command));
  }
}

TEST_CASE("The help of prof run has every flag in its section, with its default") {
  const std::string help = Run({"run", "--help"}).out;
  CHECK_THAT(help, Contains("Usage: prof run [options] -- program"));
  for (const options::Option& option : options::kOptions) {
    if (*option.flag == '\0') continue;
    INFO(option.flag);
    const size_t section = help.find(std::string("\n") + option.section + ":\n");
    const size_t flag = help.find("  " + options::FlagUsage(option) + " ");
    REQUIRE(section != std::string::npos);
    REQUIRE(flag != std::string::npos);
    CHECK(section < flag);
  }
  CHECK_THAT(help, Contains("(1 to 100; default: 5)") && Contains("default: auto)") &&
                       !Contains("INT") && !Contains("\n\n\n"));
}

TEST_CASE("A word behind help that is no command is named") {
  const Ended ended = Run({"help", "rnu"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("Did you mean 'run'?"));
}

TEST_CASE("A command that takes more than a second shows that on a terminal, and only there") {
  const Folder folder;
  const std::string pipe = folder.File("slow.prof");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto write_late = [&] {
    return std::thread([&] {
      const int writer = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(1300));
      close(writer);
    });
  };
  std::thread writer = write_late();
  const std::string shown = ProfOnTerminal({"info", "slow.prof"}, folder.path());
  writer.join();
  CHECK_THAT(shown, Contains("prof: reading slow.prof, 1 s"));
  writer = write_late();
  const Ended ended = Prof({"info", "slow.prof"}, folder.path());
  writer.join();
  CHECK_THAT(ended.err, !Contains("1 s"));
}

}  // namespace
}  // namespace prof::test::main_test
