// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/program.h"

#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::compare::program_test {
namespace {

using test::Contains;

TEST_CASE("The program of a command is its name without folder and arguments") {
  CHECK(ProgramOf("./app") == "app");
  CHECK(ProgramOf("/opt/job 17/bin/app") == "job");  // a command has no quotes
  CHECK(ProgramOf("build/bin/app --size 4 -o /tmp/out.123/a.prof") == "app");
  CHECK(ProgramOf("").empty());
  CHECK(ProgramOf("  ").empty());
}

TEST_CASE("The program of Python is its script or its module") {
  CHECK(ProgramOf("python train.py --layers 4") == "train.py");
  CHECK(ProgramOf("/usr/bin/python3.11 -u /home/me/src/train.py") == "train.py");
  CHECK(ProgramOf("python3 -W ignore -X dev -Wonce -uB train.py -m x") == "train.py");
  CHECK(ProgramOf("python3 --check-hash-based-pycs never train.py") == "train.py");
  CHECK(ProgramOf("python3 -m pkg.train --lr 1") == "pkg.train");
  CHECK(ProgramOf("python3 -um pkg.train") == "pkg.train");
  CHECK(ProgramOf("python3 -mpkg.train") == "pkg.train");
  CHECK(ProgramOf("python3 -c import torch; print(1)") == "python -c");
  CHECK(ProgramOf("python3 -") == "python");
  CHECK(ProgramOf("python3 -m") == "python");
  CHECK(ProgramOf("python3") == "python");
  CHECK(ProgramOf("pythonic train.py") == "pythonic");
}

TEST_CASE("A launcher and its ranks are the script that it starts") {
  CHECK(ProgramOf("torchrun --nproc-per-node 2 src/train.py --lr 1") == "train.py");
  CHECK(ProgramOf("/usr/bin/python3 /opt/venv/bin/torchrun --standalone train.py") == "train.py");
  CHECK(ProgramOf("python -m torch.distributed.run --nnodes=1 train.py") == "train.py");
  CHECK(ProgramOf("torchrun --nproc-per-node 2 -m pkg.train") == "pkg.train");
  CHECK(ProgramOf("torchrun --no-python ./app") == "torchrun");
}

TEST_CASE("Repeats may differ by folders, arguments and interpreters, and not by programs") {
  CHECK(WhyOtherProgram({}).empty());
  CHECK(WhyOtherProgram({"./app -o out/1", "bin/app -o out/2", ""}).empty());
  CHECK(WhyOtherProgram({"python train.py", "/usr/bin/python3 -u train.py"}).empty());
  CHECK_THAT(WhyOtherProgram({"", "./app -n 1", "./app -n 2", "./bench"}),
             Contains("run 2 is './app -n 1', run 4 is './bench'") &&
                 Contains("name the recordings of one program"));
  CHECK_THAT(WhyOtherProgram({"python a.py", "python b.py"}), Contains("several programs"));
}

TEST_CASE("Commands that differ are noted, with two of them") {
  CHECK(NoteOnCommands({}).empty());
  CHECK(NoteOnCommands({"./app", "./app"}).empty());
  CHECK_THAT(NoteOnCommands({"./app -n 1", "./app -n 1", "./app -n 2"}),
             Contains("the commands of the runs differ: run 1 is './app -n 1', run 3 is "
                      "'./app -n 2'"));
  CHECK_THAT(NoteOnCommands({"./app", "./bench"}), Contains("several programs"));
}

TEST_CASE("Runs of one side with other arguments, or of other programs, have a note") {
  std::vector<Report> reports = test::Runs({100, 110});
  CHECK(Collect(reports).notes.empty());
  reports[1].command = "./app --size 2";
  REQUIRE(Collect(reports).notes.size() == 1);
  CHECK_THAT(Collect(reports).notes[0], Contains("run 2 is './app --size 2'"));
  reports[1].command = "./bench";
  CHECK(Collect(reports).error.empty());  // a comparison goes kernel by kernel
  CHECK_THAT(Collect(reports).notes.at(0), Contains("several programs"));
}

}  // namespace
}  // namespace prof::compare::program_test
