// SPDX-License-Identifier: Apache-2.0
//
// When the output cannot be written, there is one line on stderr, the bytes are counted, and the
// program goes on.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "test/exit/child.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::output_errors_test {
namespace {

void CheckRefused(const std::string& output, const std::string& action, int code) {
  const Ended ended = RunExitProgram("local", output);
  CHECK(ended.exit_code == 7);
  REQUIRE(ended.errors.size() == 1);
  CHECK(ended.errors[0] ==
        "prof: cannot " + action + " " + output + ": " + std::strerror(code) + "; recording stops");
  CHECK(std::atoll(ended.out.c_str()) > 1000);  // bytes not written
}

TEST_CASE("An output that cannot be made is one line on stderr, and the program goes on") {
  const TempFolder folder;
  CheckRefused(folder / "missing/a.prof", "create", ENOENT);
  CheckRefused(folder.path(), "replace", EISDIR);
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CheckRefused(folder / "pipe", "replace", EEXIST);
  CheckRefused("/dev/full", "write", ENOSPC);
}

TEST_CASE(
    "In a folder that everybody writes to, a link of another user is neither followed nor "
    "replaced") {
  if (geteuid() != 0) PROF_SKIP("only root can make files of two users");
  const TempFolder folder;
  WriteFile(folder / "precious", "keep me");
  REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
  REQUIRE(symlink((folder / "precious").c_str(), (folder / "a.prof").c_str()) == 0);
  REQUIRE(lchown((folder / "a.prof").c_str(), 12345, 12345) == 0);
  REQUIRE(chown(folder.path().c_str(), 12345, 12345) == 0);
  const Ended ended = RunExitProgram("local as nobody", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK(ended.errors.size() == 1);
  CHECK(ReadFile(folder / "precious") == "keep me");
  struct stat info {};
  REQUIRE(lstat((folder / "a.prof").c_str(), &info) == 0);
  CHECK(S_ISLNK(info.st_mode));
}

TEST_CASE("A file size limit ends the recording, not the program, and the file can be read") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("full file", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK(ended.signal == 0);
  REQUIRE(ended.errors.size() == 1);
  CHECK(ended.errors[0].find(std::strerror(EFBIG)) != std::string::npos);
  CHECK(ReadFile(folder / "a.prof").size() == 300'000);
  CHECK(ReadRecording(folder / "a.prof").ops.size() > 0);
}

}  // namespace
}  // namespace prof::test::output_errors_test
