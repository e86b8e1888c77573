// SPDX-License-Identifier: Apache-2.0
//
// Signals around `prof run`: the program gets those that are meant for it, once, and callers see
// the death that it died.
#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::run_signals_test {
namespace {

std::vector<std::string> Line(const std::vector<std::string>& command) {
  std::vector<std::string> line = RunLine({}, command);
  line.insert(line.begin(), PROF_PROGRAM);
  return line;
}

// Reports each SIGINT and SIGTERM that it gets, and ends with 5 after `seconds`.
std::vector<std::string> Counting(const std::string& seconds) {
  return {"bash", "-c",
          "trap 'echo got-int' INT; trap 'echo got-term' TERM; echo ready; "
          "end=$((SECONDS+" +
              seconds + ")); while ((SECONDS<end)); do sleep 0.1; done; exit 5"};
}

int CountOf(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST_CASE("Callers see the signal that ended the program") {
  const Folder folder;
  for (const int number : {SIGTERM, SIGKILL, SIGSEGV, SIGABRT, SIGINT, SIGHUP, SIGPIPE}) {
    const Ended ended =
        Prof(RunLine({}, {"sh", "-c", "kill -" + std::to_string(number) + " $$"}), folder.path());
    CHECK(ended.signal() == number);
    CHECK_THAT(ended.err,
               Contains("nothing was recorded: signal " + std::to_string(number) + " ("));
  }
}

TEST_CASE("No core dump of prof is made where the program died by a signal") {
  const Folder folder;
  const Ended ended = Prof(RunLine({}, {"sh", "-c", "ulimit -c 0; kill -SEGV $$"}), folder.path());
  CHECK(ended.signal() == SIGSEGV);
  CHECK_FALSE(WCOREDUMP(ended.status));
}

TEST_CASE("A signal sent to prof reaches the program, once") {
  const Folder folder;
  Program program(Line(Counting("2")), folder.path());
  REQUIRE(program.WaitFor("ready"));
  kill(program.pid(), SIGTERM);
  REQUIRE(program.WaitFor("got-term"));
  kill(program.pid(), SIGINT);
  const Ended ended = program.Wait();
  CHECK(ended.exit_code() == 5);
  CHECK(CountOf(ended.out, "got-term") == 1);
  CHECK(CountOf(ended.out, "got-int") == 1);
}

TEST_CASE("A signal that the program does not catch ends both") {
  const Folder folder;
  Program program(Line({"sh", "-c", "echo ready; exec sleep 60"}), folder.path());
  REQUIRE(program.WaitFor("ready"));
  kill(program.pid(), SIGHUP);
  CHECK(program.Wait().signal() == SIGHUP);
}

TEST_CASE("The program has the signal mask and dispositions that prof was started with") {
  const Folder folder;
  const std::string print = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
  const Ended bare = Program({"/bin/sh", "-c", print}, folder.path()).Wait();
  const Ended under = Prof(RunLine({}, {"/bin/sh", "-c", print}), folder.path());
  REQUIRE_THAT(bare.out, Contains("SigIgn"));
  CHECK(under.out == bare.out);
}

TEST_CASE("The exit status is kept where the caller ignores SIGCHLD") {
  const Folder folder;
  const Ended ended =
      Prof({"run", "--inject", PROF_INJECT_NOTHING, "--", "sh", "-c", "exit 7"}, folder.path());
  REQUIRE(ended.exit_code() == 7);
  // A shell cannot ignore SIGCHLD for its children: do it here, in a child of ours.
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGCHLD, SIG_IGN);
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, STDERR_FILENO);
    execl(PROF_PROGRAM, PROF_PROGRAM, "run", "--inject", PROF_INJECT_NOTHING, "--", "sh", "-c",
          "exit 7", nullptr);
    _exit(99);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

// Everything that a program on the terminal `master` writes, until it ends.
std::string ReadAll(int master) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t got = read(master, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
}

TEST_CASE("Ctrl-C on the terminal reaches the program once and prof waits for it") {
  const std::vector<std::string> line = Line(Counting("2"));
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::vector<char*> argv;
    argv.reserve(line.size() + 1);
    for (const std::string& word : line) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    if (chdir("/tmp") == 0) execv(argv[0], argv.data());
    _exit(99);
  }
  REQUIRE(child > 0);
  std::string text;
  char byte = 0;
  while (text.find("ready") == std::string::npos && read(master, &byte, 1) == 1) text += byte;
  REQUIRE(write(master, "\x03", 1) == 1);
  text += ReadAll(master);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  close(master);
  CHECK(CountOf(text, "got-int") == 1);
  CHECK_THAT(text, Contains("nothing was recorded"));
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
}

}  // namespace
}  // namespace prof::test::run_signals_test
