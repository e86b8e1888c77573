// SPDX-License-Identifier: Apache-2.0
//
// Tests that a program that links our library needs no environment variable, and that other tools
// are left alone.
#include <nvtx3/nvToolsExt.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "prof/range.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace {

// The two lines that the probe prints with `environment` in front of its command.
std::string Probe(const std::string& environment) {
  const std::string command = environment + " " + PROF_TEST_HOOK_PROBE;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output.push_back(static_cast<char>(c));
  }
  REQUIRE(pclose(pipe) == 0);
  return output;
}

TEST_CASE("A program that links our library gets its NVTX calls, unasked") {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  REQUIRE(path != nullptr);
  CHECK(path[0] == '/');
  struct stat named {
  }, ours{};
  REQUIRE(stat(path, &named) == 0);
  REQUIRE(stat(PROF_TEST_HOOKED_LIBRARY, &ours) == 0);
  CHECK(named.st_ino == ours.st_ino);
  // Without a tool NVTX returns -2.
  CHECK(nvtxRangePushA("outer") == 0);
  CHECK(nvtxRangePop() == 0);
}

TEST_CASE("prof's own ranges and NVTX's are on one stack") {
  prof::PushRange("outer");
  CHECK(nvtxRangePushA("inner") == 1);
  {
    PROF_RANGE("innermost");
    CHECK(nvtxRangePushA("in scope") == 3);
    CHECK(nvtxRangePop() == 3);
  }
  prof::PushRange(nullptr);
  CHECK(nvtxRangePop() == 2);
  CHECK(nvtxRangePop() == 1);
  prof::PopRange();
  CHECK(nvtxRangePop() == -1);
}

TEST_CASE("An unset or empty variable is set to our library's absolute path") {
  const std::string ours = std::string(PROF_TEST_HOOK_PROBE) + "\n(none)\n";
  CHECK(Probe("env -u NVTX_INJECTION64_PATH") == ours);
  CHECK(Probe("NVTX_INJECTION64_PATH=") == ours);
}

TEST_CASE("A variable that names us stays as it is") {
  const std::string path = std::string(PROF_TEST_HOOK_PROBE);
  CHECK(Probe("NVTX_INJECTION64_PATH=" + path) == path + "\n(none)\n");
  // One file under another name.
  CHECK(Probe("NVTX_INJECTION64_PATH=/proc/self/root" + path) ==
        "/proc/self/root" + path + "\n(none)\n");
}

TEST_CASE("A variable that names another tool names us, and the tool is remembered") {
  const std::string chained = std::string(PROF_TEST_HOOK_PROBE) + "\n/opt/other/libtool.so\n";
  CHECK(Probe("NVTX_INJECTION64_PATH=/opt/other/libtool.so") == chained);
  // A process that inherits both.
  CHECK(Probe("NVTX_INJECTION64_PATH=" PROF_TEST_HOOK_PROBE
              " PROF_NVTX_NEXT=/opt/other/libtool.so") == chained);
}

TEST_CASE("A tool whose variable was taken away does not come back") {
  const std::string ours = std::string(PROF_TEST_HOOK_PROBE) + "\n(none)\n";
  CHECK(Probe("env -u NVTX_INJECTION64_PATH PROF_NVTX_NEXT=/opt/other/libtool.so") == ours);
}

TEST_CASE("A variable that leads back to us, by a bare name or to a copy, ends at us") {
  const prof::test::TempFolder folder;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path library = PROF_TEST_HOOKED_LIBRARY;
  const std::string copy = folder / "copy.so";
  std::filesystem::copy_file(library, copy);
  for (const std::string& named : {library.filename().string(), copy}) {
    INFO(named);
    const std::string again = "cd / && NVTX_INJECTION64_PATH=" + named + " " + self +
                              " 'A program that links our library gets*' >/dev/null";
    CHECK(std::system(again.c_str()) == 0);
  }
}

}  // namespace
