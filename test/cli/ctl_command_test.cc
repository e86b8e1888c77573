// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "lib/cli/run/control_client.h"
#include "lib/options/control_socket.h"
#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::ctl_command_test {
namespace {

// Answers one request as a recorded process would.
class FakeRecording {
 public:
  explicit FakeRecording(std::string answer)
      : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const options::ControlAddress at = options::ControlAddressOf(getpid());
    REQUIRE(bind(socket_, reinterpret_cast<const sockaddr*>(&at.address), at.bytes) == 0);
    REQUIRE(listen(socket_, 1) == 0);
    thread_ = std::thread([this, answer = std::move(answer)] {
      const int connection = accept(socket_, nullptr, nullptr);
      if (connection < 0) return;
      request_ = options::ReceiveText(connection, /*whole_line=*/true);
      (void)options::SendText(connection, answer);
      close(connection);
    });
  }
  ~FakeRecording() {
    shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(socket_);
  }
  FakeRecording(const FakeRecording&) = delete;
  FakeRecording& operator=(const FakeRecording&) = delete;
  std::string request() {
    thread_.join();
    return request_;
  }

 private:
  const int socket_;
  std::string request_;
  std::thread thread_;
};

Ended Ctl(std::vector<std::string> arguments) {
  static const Folder folder;
  arguments.insert(arguments.begin(), "ctl");
  return Prof(arguments, folder.path());
}

const std::string kPid = std::to_string(getpid());

TEST_CASE("prof ctl sends the action and prints the answer") {
  FakeRecording recording("ok\npaused\n");
  const Ended ended = Ctl({kPid, "stop"});
  CHECK(ended.exit_code() == 0);
  CHECK(ended.out == "paused\n");
  CHECK(ended.err.empty());
  CHECK(recording.request() == "stop\n");
}

TEST_CASE("The file of a dump has its whole path: the process may be in another folder") {
  FakeRecording recording("ok\nwrote it\n");
  CHECK(Ctl({kPid, "dump", "a b.prof"}).exit_code() == 0);
  const std::string request = recording.request();
  CHECK(request.rfind("dump /", 0) == 0);
  CHECK(request.find("/a b.prof\n") != std::string::npos);
}

TEST_CASE("A recording that refuses is an error with its reason") {
  const FakeRecording recording("failed\nit keeps everything\n");
  const Ended ended = Ctl({kPid, "dump"});
  CHECK(ended.exit_code() == 2);
  CHECK(ended.err == "prof: it keeps everything\n");
}

TEST_CASE("What is not answered as a recording does is an error") {
  const FakeRecording recording("hello");
  CHECK_THAT(Ctl({kPid, "status"}).err, Contains("did not answer"));
}

TEST_CASE("A process without a recording, and one that is not there, are told apart") {
  CHECK_THAT(Ctl({"1", "status"}).err, Contains("cannot be controlled") && Contains("prof run"));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(Ctl({std::to_string(child), "status"}).err ==
        "prof: there is no process " + std::to_string(child) + "\n");
}

TEST_CASE("A line that prof ctl does not understand has the way out") {
  CHECK_THAT(Ctl({"1", "stpo"}).err, Contains("Did you mean 'stop'?") && Contains("--help"));
  CHECK_THAT(Ctl({"1"}).err, Contains("start|stop|end|dump|status|counters"));
  CHECK_THAT(Ctl({"1", "stop", "x.prof"}).err, Contains("dump only"));
  CHECK(Ctl({"abc", "stop"}).exit_code() == 2);
}

TEST_CASE("Processes that can be controlled are found among the sockets of the system") {
  const Folder folder;
  folder.Write("unix",
               "Num RefCount Protocol Flags Type St Inode Path\n"
               "0: 2 0 10000 1 1 11 @prof-ctl-4712\n"
               "0: 2 0 10000 1 1 12 /run/prof-ctl-1\n"
               "0: 2 0 10000 1 1 13 @prof-ctl-99\n"
               "0: 3 0 0 1 3 14 @prof-ctl-4712\n");
  CHECK(cli::ControlledProcesses(folder.File("unix")) == std::vector<pid_t>{99, 4712});
  const FakeRecording recording("ok\n");
  CHECK_THAT(Ctl({}).out, Contains(kPid + "  "));
}

}  // namespace
}  // namespace prof::test::ctl_command_test
