// SPDX-License-Identifier: Apache-2.0
//
// No command replaces what it reads, nor a recording, however the file is named.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::output_check_test {
namespace {

std::string RecordingOf(uint32_t pid) {
  SnapshotBuilder builder;
  builder.process.pid = pid;
  const uint32_t saxpy = builder.Shape("saxpy", {1320, 1, 1}, {256, 1, 1});
  builder.Kernel(saxpy, "step", 10'000, 60'000);
  builder.Kernel(saxpy, "step", 70'000, 120'000);
  return builder.Bytes();
}

// m.prof, n.prof, the folders a and b with two recordings each, hard.prof and soft.prof, which are
// other names of m.prof, and base.json, the baseline of a.
class Files {
 public:
  Files() {
    for (const char* name : {"a", "b"}) std::filesystem::create_directory(folder_.File(name));
    uint32_t pid = 100;
    for (const char* name : {"m.prof", "n.prof", "a/1.prof", "a/2.prof", "b/1.prof", "b/2.prof"}) {
      folder_.Write(name, RecordingOf(++pid));
    }
    REQUIRE(link(folder_.File("m.prof").c_str(), folder_.File("hard.prof").c_str()) == 0);
    REQUIRE(symlink("m.prof", folder_.File("soft.prof").c_str()) == 0);
    REQUIRE(Shell("prof baseline write base.json a").exit_code() == 0);
  }
  // A line of a shell in which `prof` is the program.
  Ended Shell(const std::string& line) const {
    const std::string function = "prof() { \"" PROF_PROGRAM "\" \"$@\"; }; ";
    return Program({"/bin/sh", "-c", function + line}, folder_.path()).Wait();
  }
  // The bytes of each file, by name.
  std::map<std::string, std::string> Bytes() const {
    std::map<std::string, std::string> bytes;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      const std::string name = entry.path().lexically_relative(folder_.path()).string();
      if (entry.is_regular_file()) bytes[name] = folder_.Read(name);
    }
    return bytes;
  }

 private:
  Folder folder_;
};

TEST_CASE("A command whose output is a file that it reads, or a recording, leaves all as it is") {
  const Files files;
  const auto before = files.Bytes();
  const std::vector<std::string> lines = {
      "prof report m.prof -o m.prof",
      "prof report m.prof -o ./a/../m.prof",
      "prof report m.prof -o hard.prof",
      "prof report m.prof -o soft.prof",
      "prof report soft.prof -o m.prof",
      "prof report - -o m.prof < m.prof",
      "prof report m.prof -o n.prof",
      "prof report m.prof --html n.prof",
      "prof report m.prof --json -o n.prof",
      "prof export m.prof --to csv -o m.prof",
      "prof export - --to csv -o m.prof < m.prof",
      "prof export m.prof --to sqlite -o n.prof",
      "prof compare b a -o b/1.prof",
      "prof compare b a -o a/2.prof",
      "prof compare b a --html b/2.prof",
      "prof compare b a --noise base.json -o base.json",
      "prof compare --before b/1.prof --after a/1.prof -o m.prof",
      "prof check --baseline base.json --junit b/1.prof b",
      "prof check --baseline base.json --junit base.json b",
      "prof check --baseline base.json --junit m.prof m.prof",
      "prof check --baseline base.json --junit n.prof m.prof",
      "prof noise a m.prof --store n.prof",
      "prof baseline write m.prof a",
      "prof baseline update a/1.prof a",
  };
  for (const std::string& line : lines) {
    INFO(line);
    const Ended ended = files.Shell(line);
    CHECK(ended.exit_code() == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, Contains("would be replaced. Name another file"));
    CHECK((files.Bytes() == before));
  }
}

TEST_CASE("An output that is refused is named with its option, and with what it is") {
  const Files files;
  const auto refusal = [&](const std::string& line) { return files.Shell(line).err; };
  CHECK(refusal("prof report - -o hard.prof < m.prof") ==
        "prof: -o 'hard.prof' is a file that is read (standard input), and would be replaced. Name "
        "another file\n");
  CHECK(refusal("prof compare b a --html b/1.prof") ==
        "prof: --html 'b/1.prof' is a file that is read (b/1.prof of the folder b), and would be "
        "replaced. Name another file\n");
  CHECK(refusal("prof check --baseline base.json --junit n.prof a") ==
        "prof: --junit 'n.prof' is a recording, and would be replaced. Name another file, or "
        "delete this one first\n");
}

TEST_CASE("A file that is no recording is replaced, and a device is written to") {
  const Files files;
  for (const char* line :
       {"echo old > t; prof report m.prof -o t", "prof report m.prof -o /dev/null",
        "prof check --baseline base.json --junit /dev/null a",
        "prof report - -o /dev/null < m.prof",
        "echo old > x.xml; prof check --baseline base.json --junit x.xml a"}) {
    INFO(line);
    const Ended ended = files.Shell(line);
    INFO(ended.err);
    CHECK(ended.exit_code() != 2);
    CHECK_THAT(ended.err, !Contains("replaced"));
  }
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THAT(files.Bytes().at("t"), Contains("saxpy"));
  CHECK_THAT(files.Bytes().at("x.xml"), Contains("<testsuite"));
}

TEST_CASE("The page of a run does not replace its recording, nor another one") {
  const Files files;
  const auto before = files.Bytes();
  const std::string run = "prof run --inject '" PROF_INJECT_NOTHING "' ";
  for (const char* options :
       {"-o x.prof --html x.prof", "-o x.prof --html \"$PWD/./x.prof\"", "--html prof-h-17.prof",
        "-o r-%p.prof --html r-1.prof", "-o x.prof --html n.prof", "-o n.prof --html n.prof"}) {
    INFO(options);
    const Ended ended = files.Shell(run + options + " -- echo ran");
    CHECK(ended.exit_code() == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, Contains("--html") && Contains("Name another file"));
    CHECK((files.Bytes() == before));
  }
  // A name that nobody could know before.
  const Ended late =
      files.Shell(run + "-o m2.prof --html page -- sh -c 'cp m.prof m2.prof; cp m.prof page'");
  CHECK(late.exit_code() == 0);
  CHECK((files.Bytes().at("page") == before.at("m.prof")));
}

}  // namespace
}  // namespace prof::test::output_check_test
