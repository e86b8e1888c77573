// SPDX-License-Identifier: Apache-2.0
//
// One recording is never another's loss: names, folders, files that are in use.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "test/processes/run.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::names_test {
namespace {

using Names = std::vector<std::string>;

bool Matches(const std::string& text, const std::string& expression) {
  return std::regex_match(text, std::regex(expression));
}

TEST_CASE("A run of one process leaves one plain file, again and again") {
  const Folder folder;
  for (int i = 0; i < 2; ++i) {
    CHECK(RunWay(folder, "plain").exit_code() == 7);
    CHECK(Recordings(folder) == Names{"run.prof"});
  }
  CHECK(Read(folder, "run.prof").ops.size() == 5);
}

TEST_CASE(
    "A run of several processes leaves a folder, sorted by rank, with their programs' names") {
  const Folder folder;
  const Ended ended = RunWay(folder, "ranks");
  CHECK(ended.exit_code() == 7);
  const Names names = Recordings(folder);
  REQUIRE(names.size() == 11);
  for (int rank = 0; rank < 11; ++rank) {
    const std::string number = (rank < 10 ? "0" : "") + std::to_string(rank);
    CHECK(Matches(names[rank], "run/rank" + number + "-pid[0-9]+-solver\\.prof"));
    const model::Model model = Read(folder, names[rank]);
    CHECK(model.process.rank == rank);
    CHECK(model.ops.size() == 5);
    CHECK(model.stopped_in_order);
    CHECK_THAT(ended.err, Contains("wrote " + folder.File(names[rank])));
  }
  CHECK_THAT(ended.err, Contains("11 processes were recorded, in " + folder.File("run/")) &&
                            Contains("read one with: prof report"));
}

TEST_CASE("A second run of several processes leaves the folder of the first alone") {
  const Folder folder;
  CHECK(RunWay(folder, "fork 3").exit_code() == 7);
  const Names first = Recordings(folder);
  CHECK(first.size() == 3);
  CHECK(RunWay(folder, "fork 3").exit_code() == 7);
  const Names both = Recordings(folder);
  CHECK(both.size() == 6);
  CHECK(std::includes(both.begin(), both.end(), first.begin(), first.end()));
  CHECK(std::filesystem::is_directory(folder.File("run.1")));
}

TEST_CASE("The default name has the host and the process") {
  char host[256] = {};
  REQUIRE(gethostname(host, sizeof(host) - 1) == 0);
  const Folder folder;
  CHECK(RunWay(folder, "plain", {}).exit_code() == 7);
  const Names one = Recordings(folder);
  REQUIRE(one.size() == 1);
  CHECK(one[0] == std::string("prof-") + host + "-" +
                      std::to_string(Read(folder, one[0]).process.pid) + ".prof");
  const Folder several;
  CHECK(RunWay(several, "fork 3", {}).exit_code() == 7);
  const Names names = Recordings(several);
  REQUIRE(names.size() == 3);
  for (const std::string& name : names) {
    CHECK(Matches(name,
                  std::string("prof-") + host + "-[0-9]+/pid[0-9]+-prof_processes_program\\.prof"));
  }
}

TEST_CASE("Recordings that the user has named stay where they are") {
  const Folder folder;
  CHECK(RunWay(folder, "ranks", {"-o", "step-%r.prof"}).exit_code() == 7);
  const Names names = Recordings(folder);
  REQUIRE(names.size() == 11);
  CHECK(std::count(names.begin(), names.end(), "step-3.prof") == 1);
  CHECK(std::count(names.begin(), names.end(), "step-10.prof") == 1);
}

TEST_CASE("A file that is no recording stays, and the recording gets another name that is said") {
  const Folder folder;
  folder.Write("run.prof", "my notes on the run");
  const Ended ended = RunWay(folder, "plain");
  CHECK(ended.exit_code() == 7);
  CHECK(folder.Read("run.prof") == "my notes on the run");
  Names names = Recordings(folder);
  names.erase(std::remove(names.begin(), names.end(), "run.prof"), names.end());
  REQUIRE(names.size() == 1);
  CHECK_THAT(ended.err, Contains("run.prof is no recording of prof, and stays: recording to " +
                                 folder.File(names[0])) &&
                            Contains("wrote " + folder.File(names[0])));
  const model::Model model = Read(folder, names[0]);
  CHECK(model.ops.size() == 5);
  REQUIRE(model.notices.size() == 1);
  CHECK_THAT(model.notices[0].what, Contains("is no recording of prof"));
}

TEST_CASE("Two programs that write to one name at a time get two names") {
  const Folder folder;
  const std::vector<std::string> environment = {std::string("LD_PRELOAD=") + PROF_INJECT_NOTHING,
                                                "PROF_OUTPUT=both.prof"};
  Program one({PROF_TEST_PROCESSES, "slow"}, folder.path(), environment);
  Program other({PROF_TEST_PROCESSES, "slow"}, folder.path(), environment);
  const std::string err = one.Wait().err + other.Wait().err;
  const Names names = Recordings(folder);
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) {
    const model::Model model = Read(folder, name);
    CHECK(model.ops.size() == 5);
    CHECK(model.stopped_in_order);
  }
  CHECK_THAT(err, Contains("both.prof is being written by another recording: recording to"));
}

TEST_CASE("Two runs to one name at a time leave two recordings") {
  const Folder folder;
  const auto line = RunLine({"-o", "run.prof"}, {PROF_TEST_PROCESSES, "slow"});
  std::vector<std::string> command = {PROF_PROGRAM};
  command.insert(command.end(), line.begin(), line.end());
  Program one(command, folder.path());
  Program other(command, folder.path());
  CHECK(one.Wait().exit_code() == 7);
  CHECK(other.Wait().exit_code() == 7);
  const Names names = Recordings(folder);
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) CHECK(Read(folder, name).stopped_in_order);
}

// As under mpirun or srun: each rank has a prof of its own, and one may be over when another
// begins.
TEST_CASE("Ranks that are started one by one to one name have a file each") {
  const Folder folder;
  for (const char* rank : {"0", "1", "2"}) {
    const auto line = RunLine({"-o", "run.prof"}, {PROF_TEST_PROCESSES, "plain"});
    const Ended ended =
        Prof(line, folder.path(),
             {"OMPI_COMM_WORLD_SIZE=3", std::string("OMPI_COMM_WORLD_RANK=") + rank});
    CHECK_THAT(ended.err, Contains("wrote " + folder.File("run.r") + rank + "-"));
  }
  CHECK(Recordings(folder).size() == 3);
}

// Open MPI, which is in Debian's openmpi-bin: prof around it, and in each rank.
TEST_CASE("mpirun leaves a file of each rank, whichever of the two runs the other") {
  if (access("/usr/bin/mpirun", X_OK) != 0) PROF_SKIP("no /usr/bin/mpirun");
  const std::vector<std::string> variables = {"OMPI_ALLOW_RUN_AS_ROOT=1",
                                              "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
  // mpirun ends the other ranks when one has failed.
  const std::vector<std::string> work = {"/bin/sh", "-c",
                                         std::string(PROF_TEST_PROCESSES) + " plain; true"};
  std::vector<std::string> ranks = {"/usr/bin/mpirun", "--oversubscribe", "-n", "3"};
  if (Program({"/usr/bin/mpirun", "--oversubscribe", "-n", "1", "/bin/true"}, "/tmp", variables)
          .Wait()
          .exit_code() != 0) {
    PROF_SKIP("mpirun does not run here");
  }
  const auto check = [](const Folder& folder, const Ended& ended, const std::string& prefix) {
    CAPTURE(ended.err);
    CHECK(ended.exit_code() == 0);
    const Names names = Recordings(folder);
    REQUIRE(names.size() == 3);
    for (size_t rank = 0; rank < names.size(); ++rank) {
      CHECK(names[rank].find(prefix + std::to_string(rank) + "-") == 0);
      const model::Model model = Read(folder, names[rank]);
      CHECK(model.ops.size() == 5);
      CHECK(model.stopped_in_order);
      CHECK(model.process.rank == static_cast<int>(rank));
    }
  };
  const Folder around, inside;
  std::vector<std::string> line = ranks;
  line.insert(line.end(), work.begin(), work.end());
  check(around, Prof(RunLine({"-o", "run.prof"}, line), around.path(), variables), "run/rank");

  line = RunLine({"-o", "run.prof"}, work);
  ranks.emplace_back(PROF_PROGRAM);
  ranks.insert(ranks.end(), line.begin(), line.end());
  check(inside, Program(ranks, inside.path(), variables).Wait(), "run.r");
}

TEST_CASE("Processes of two containers with the same process id have a recording each") {
  const Folder folder;
  const auto command = RunLine({}, {PROF_TEST_PROCESSES, "slow"});
  std::vector<std::string> contained = {"/usr/bin/unshare", "--pid", "--fork", PROF_PROGRAM};
  contained.insert(contained.end(), command.begin(), command.end());
  if (Program({"/usr/bin/unshare", "--pid", "--fork", "/bin/true"}, folder.path())
          .Wait()
          .exit_code() != 0) {
    PROF_SKIP("unshare is not allowed");
  }
  Program one(contained, folder.path());
  Program other(contained, folder.path());
  CHECK(one.Wait().exit_code() == 7);
  CHECK(other.Wait().exit_code() == 7);
  CHECK(Program(contained, folder.path()).Wait().exit_code() == 7);  // restarted
  const Names names = Recordings(folder);
  REQUIRE(names.size() == 3);
  for (const std::string& name : names) {
    const model::Model model = Read(folder, name);
    CHECK(model.process.pid == 2);
    CHECK(model.stopped_in_order);
  }
}

// As in a container with a /tmp of its own.
TEST_CASE("Recordings of processes that cannot reach the list of their run are all named") {
  const Folder folder;
  folder.Write("run.old.prof", "PROFSNAP of another run");
  folder.Write("run.notes.prof", "no recording");
  const std::string line =
      std::string("rm \"${PROF_RUN#*:}\"; exec '") + PROF_TEST_PROCESSES + "' 'fork 3'";
  const Ended ended =
      Prof(RunLine({"-o", "run.prof"}, {"/bin/sh", "-c", "touch run.notes.prof; " + line}),
           folder.path());
  CHECK(ended.exit_code() == 7);
  Names names = Recordings(folder);
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) {
                               return name == "run.old.prof" || name == "run.notes.prof";
                             }),
              names.end());
  CHECK(names.size() == 3);
  for (const std::string& name : names) {
    CHECK_THAT(ended.err, Contains("wrote " + folder.File(name) + " ("));
  }
  CHECK_THAT(ended.err, !Contains("run.old.prof") && !Contains("run.notes.prof"));
}

TEST_CASE("A recording can be read by its owner and the group, and by nobody else") {
  const Folder folder;
  const mode_t before = umask(022);
  CHECK(RunWay(folder, "plain").exit_code() == 7);
  umask(before);
  struct stat state {};
  REQUIRE(stat(folder.File("run.prof").c_str(), &state) == 0);
  CHECK((state.st_mode & 0777) == 0640);
}

TEST_CASE("A report on a folder names the recordings in it") {
  const Folder folder;
  CHECK(RunWay(folder, "fork 3").exit_code() == 7);
  const Ended ended = Prof({"report", "run"}, folder.path());
  CHECK(ended.exit_code() == 2);
  CHECK(ended.out.empty());
  for (const std::string& name : Recordings(folder)) CHECK_THAT(ended.err, Contains(name));
}

}  // namespace
}  // namespace prof::test::names_test
