// SPDX-License-Identifier: Apache-2.0
//
// The bare program is held against the program under prof: what it writes and how it ends is the
// same, whatever happens to its processes.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "test/processes/run.h"
#include "test/support/catch.h"

namespace prof::test::bare_test {
namespace {

// The lines of the program's own, sorted: processes that run at the same time write in any order.
std::vector<std::string> OwnLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("prof: ", 0) != 0) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

Ended RunBare(const Folder& folder, const std::string& way) {
  return Program({PROF_TEST_PROCESSES, way}, folder.path(),
                 {std::string("CUDA_INJECTION64_PATH=") + PROF_TEST_NO_PROF})
      .Wait();
}

TEST_CASE("A program writes and ends under prof as it does without, whatever its processes do") {
  // Without the ways that ask prof, or that look for the recording.
  for (const char* way : {"plain",
                          "fork",
                          "fork 3",
                          "fork beside threads",
                          "fork after CUDA for work",
                          "exec in a child",
                          "exec",
                          "posix_spawn",
                          "vfork",
                          "_exit",
                          "_Exit",
                          "quick_exit",
                          "_exit while the GPU hangs",
                          "_exit while CUPTI hangs",
                          "_exit in a handler",
                          "_exit on many threads",
                          "_exit without CUDA",
                          "a signal",
                          "daemon",
                          "daemon that stays",
                          "close descriptors",
                          "ranks"}) {
    INFO(way);
    const Folder bare_folder, folder;
    const Ended bare = RunBare(bare_folder, way), ended = RunWay(folder, way);
    CHECK(ended.status == bare.status);
    CHECK(OwnLines(ended.out) == OwnLines(bare.out));
    CHECK(OwnLines(ended.err) == OwnLines(bare.err));
    CHECK(folder.Read("mine") == bare_folder.Read("mine"));
  }
}

// The program is not started by `prof run`, which refuses outputs like these.
TEST_CASE("A program writes and ends under prof as it does without, whatever its files meet") {
  struct Trouble {
    const char* limit;  // of the shell that starts the program
    const char* output;
  };
  const Trouble troubles[] = {
      {"true", "/dev/full"},            // no space is left
      {"true", "/proc/none/run.prof"},  // nobody may write there
      {"true", "no/such/folder/run.prof"},
      {"ulimit -f 0", "run.prof"},       // the file must not grow: SIGXFSZ, by default
      {"ulimit -n 3", "run.prof"},       // no descriptor is left
      {"ulimit -v 300000", "run.prof"},  // hardly any memory
      {"ulimit -c 0", "%%%.prof"},
  };
  for (const Trouble& trouble : troubles) {
    for (const char* way : {"plain", "fork 3", "_exit"}) {
      INFO(trouble.limit << ", " << trouble.output << ", " << way);
      const std::string line = std::string(trouble.limit) + " && exec \"$0\" \"$1\"";
      const std::vector<std::string> command = {"/bin/sh", "-c", line, PROF_TEST_PROCESSES, way};
      const Folder bare_folder, folder;
      const Ended bare = Program(command, bare_folder.path(),
                                 {std::string("CUDA_INJECTION64_PATH=") + PROF_TEST_NO_PROF})
                             .Wait();
      const Ended ended = Program(command, folder.path(),
                                  {std::string("CUDA_INJECTION64_PATH=") + PROF_INJECT_NOTHING,
                                   std::string("PROF_OUTPUT=") + trouble.output})
                              .Wait();
      CHECK(ended.status == bare.status);
      CHECK(OwnLines(ended.out) == OwnLines(bare.out));
      CHECK(OwnLines(ended.err) == OwnLines(bare.err));
    }
  }
}

TEST_CASE("The bare program does what the test of its outputs compares") {
  const Folder folder;
  const Ended plain = RunBare(folder, "plain");
  CHECK(plain.exit_code() == 7);
  CHECK(plain.out == "begins\nlaunched\nplain: 7\n");
  CHECK(plain.err == "begins\nlaunched\n");
  CHECK(RunBare(folder, "_exit").out.empty());  // it stays in the buffer
  CHECK(RunBare(folder, "a signal").signal() == 15);
}

}  // namespace
}  // namespace prof::test::bare_test
