// SPDX-License-Identifier: Apache-2.0
//
// The environment of a program is not touched while somebody may read it, and not believed where it
// comes from a user with fewer rights.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::environment_test {
namespace {

struct Result {
  int exit_code = -1;
  std::string out, err;
};

Result Run(const TempFolder& folder, const std::string& command) {
  const int status =
      std::system(("cd '" + folder.path() + "' && env -u NVTX_INJECTION64_PATH -u LD_PRELOAD " +
                   command + " >out 2>err")
                      .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(folder / "out"),
          ReadFile(folder / "err")};
}

TEST_CASE("A library that comes late names itself to NVTX while the program has one thread") {
  const TempFolder folder;
  const Result result = Run(folder, PROF_TEST_LATE_PROGRAM " " PROF_TEST_LATE_SESSION);
  CHECK(result.exit_code == 7);
  CHECK(result.out == "named\n\n");
}

TEST_CASE("A library that comes late does not change the environment under other threads") {
  const TempFolder folder;
  const Result result = Run(folder, PROF_TEST_LATE_PROGRAM " " PROF_TEST_LATE_SESSION " threads");
  CHECK(result.exit_code == 7);
  CHECK(result.out.find("not named\nNVTX ranges are not recorded") == 0);
  // Where the user has named it, nothing is to be changed.
  const Result named =
      Run(folder, "NVTX_INJECTION64_PATH='" PROF_TEST_LIBRARY "' " PROF_TEST_LATE_PROGRAM
                  " " PROF_TEST_LATE_SESSION " threads");
  CHECK(named.out == "named\n\n");
}

TEST_CASE("A program with more rights than its user believes nothing of the environment") {
  if (geteuid() != 0) PROF_SKIP("only root can make such a program");
#if defined(PROF_SANITIZED)
  PROF_SKIP("a sanitizer looks into its process, which such a program forbids");
#endif
  const TempFolder folder;
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  const std::string program = folder / "privileged";
  std::filesystem::copy_file(PROF_TEST_PRIVILEGED, program);
  REQUIRE(chown(program.c_str(), 65534, 65534) == 0);
  const std::string variables = "PROF_SAMPLES=many PROF_OUTPUT=stolen.prof ";
  const Result plain = Run(folder, variables + program);
  CHECK(plain.out.find("secure 0\nnamed\n") == 0);
  CHECK(plain.err.find("PROF_SAMPLES=many") != std::string::npos);
  REQUIRE(chmod(program.c_str(), 04755) == 0);
  const Result privileged = Run(folder, variables + program);
  if (privileged.out.find("secure 0") == 0) PROF_SKIP("the file system knows no setuid");
  CHECK(privileged.exit_code == 7);
  CHECK(privileged.out == "secure 1\nnot named\nsession works\n");
  CHECK(privileged.err.find("not recording: this program has more rights than its user") !=
        std::string::npos);
  CHECK(privileged.err.find("PROF_SAMPLES") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "stolen.prof"));
}

}  // namespace
}  // namespace prof::test::environment_test
