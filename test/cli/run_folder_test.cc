// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/run_folder.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "test/cli/program.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::cli::run_folder_test {
namespace {

using test::Folder;
using Strings = std::vector<std::string>;

TEST_CASE("A program is called after its script, or after itself, in plain characters") {
  CHECK(ProgramLabel("/usr/bin/python3 -u /home/ada/train.py --lr 1") == "train");
  CHECK(ProgramLabel("./build/solver 8 --mesh x") == "solver");
  CHECK(ProgramLabel("python3 -c from_multiprocessing") == "python3");
  CHECK(ProgramLabel("/opt/My_Tool-2") == "My_Tool_2");
  CHECK(ProgramLabel("a'b$c;d") == "a_b_c_d");
  CHECK(ProgramLabel(std::string(100, 'x')) == std::string(40, 'x'));
  CHECK(ProgramLabel("").empty());
}

TEST_CASE("Several recordings go to a folder unless the user has named each of them") {
  const Strings two = {"a.prof", "b.prof"};
  CHECK(WantsFolder("/d/run.prof", two));
  CHECK(WantsFolder("/d/prof-%h-%i.prof", two));
  CHECK(WantsFolder("/d/100%%/run.prof", two));
  CHECK_FALSE(WantsFolder("/d/run-%p.prof", two));
  CHECK_FALSE(WantsFolder("/d/%r/run.prof", two));
  CHECK_FALSE(WantsFolder("/d/run.prof", {"a.prof"}));
  CHECK_FALSE(WantsFolder("/d/run.prof", {"a.prof", "a.dump1.prof"}));  // of one process
}

TEST_CASE("The folder is called like the output without its extension") {
  CHECK(FolderName("/d/run.prof") == "/d/run");
  CHECK(FolderName("/d/50%%/run.prof") == "/d/50%/run");
  CHECK(FolderName("/d/run") == "/d/run.processes");
  const std::string of_default = FolderName("/d/prof-%h-%i.prof");
  CHECK(of_default.find("/d/prof-") == 0);
  CHECK(of_default.substr(of_default.rfind('-') + 1) == std::to_string(getpid()));
}

TEST_CASE("Recordings of one process, and what cannot be read, have a name each in the folder") {
  const Folder folder;
  test::SnapshotBuilder builder;
  builder.Kernel(builder.Shape("saxpy", {1, 1, 1}, {1, 1, 1}), "step", 10, 20);
  Strings files;
  for (const char* name : {"a.prof", "b.prof", "damaged.prof"}) {
    folder.Write(name, name[0] == 'd' ? "PROFSNAP" : builder.Bytes());
    files.push_back(folder.File(name));
  }
  const Strings moved = MoveToFolder(folder.File("run"), files);
  REQUIRE(moved.size() == 3);
  CHECK(moved[0] == folder.File("run/damaged.prof"));
  CHECK(moved[2].find("-2.prof") == std::string::npos);
  for (const std::string& path : moved) CHECK(access(path.c_str(), R_OK) == 0);
  for (const std::string& path : files) CHECK(access(path.c_str(), F_OK) != 0);
  folder.Write("c.prof", "x");
  CHECK(MoveToFolder(folder.File("run"), {folder.File("c.prof")}) ==
        Strings{folder.File("run.1/c.prof")});
}

}  // namespace
}  // namespace prof::cli::run_folder_test
