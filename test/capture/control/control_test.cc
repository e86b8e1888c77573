// SPDX-License-Identifier: Apache-2.0
//
// What prof ctl reaches: the socket, and the answers.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string>

#include "lib/capture/control/control_requests.h"
#include "lib/capture/control/control_server.h"
#include "lib/options/control_socket.h"
#include "test/support/catch.h"

namespace prof::capture::control_test {
namespace {

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

struct Fake {
  bool paused = false, ended = false, works = true, complete = false, pending = true;
  std::optional<double> decided;
  std::string dumped;
  Controlled recording;

  Fake() {
    recording.start = [this] { return works && std::exchange(paused, false); };
    recording.stop = [this] { return works && !std::exchange(paused, true); };
    recording.end = [this] {
      if (!works) return Ended::kNot;
      return std::exchange(ended, true) ? Ended::kBefore : Ended::kNow;
    };
    recording.dump = [this](const std::string& path) { return dumped = path, works; };
    recording.status = [] { return Status(); };
    recording.paused = [this] { return paused; };
    recording.counters_complete = [this] { return complete; };
    recording.counters_pending = [this] { return pending; };
    recording.decided_share = [this] { return decided; };
    recording.output = [] { return "/tmp/a.prof"; };
  }
  std::string Ask(const std::string& request) { return AnswerControl(recording, request); }
};

TEST_CASE("A recording is ended once") {
  Fake fake;
  CHECK(fake.Ask("end") == "ok\nthe recording has ended: /tmp/a.prof\n");
  CHECK(fake.ended);
  CHECK(Contains(fake.Ask("end"), "ok\nthe recording had ended before"));
  fake.works = false;
  CHECK(Contains(fake.Ask("end"), "failed\nthe recording does not end"));
}

TEST_CASE("A recording is stopped and started, and a second time is no failure") {
  Fake fake;
  CHECK(Contains(fake.Ask("start"), "ok\nit records already"));
  CHECK(Contains(fake.Ask("stop"), "ok\npaused"));
  CHECK(fake.paused);
  CHECK(Contains(fake.Ask("stop"), "ok\nit is paused"));
  CHECK(fake.Ask("start") == "ok\nrecording\n");
  fake.works = false;
  CHECK(Contains(fake.Ask("stop"), "failed\n"));
}

TEST_CASE("A dump needs a recording that keeps its last seconds") {
  Fake fake;
  CHECK(Contains(fake.Ask("dump /tmp/x y.prof"), "--keep-last SECONDS"));
  fake.recording.keep_last_seconds = 30;
  CHECK(Contains(fake.Ask("dump /tmp/x y.prof"), "ok\n"));
  CHECK(fake.dumped == "/tmp/x y.prof");
  CHECK(Contains(fake.Ask("dump "), "failed\n"));
}

TEST_CASE("The status has the file and the state, that of counters whether more will come") {
  Fake fake;
  fake.paused = true;
  const std::string status = fake.Ask("status");
  CHECK(Contains(status, "recording: paused\n"));
  CHECK(Contains(status, "file: /tmp/a.prof\n"));
  CHECK(Contains(fake.Ask("counters"), "more samples will come"));
  CHECK_FALSE(Contains(fake.Ask("counters"), "% of the GPU time"));
  fake.decided = 0.876;
  CHECK(Contains(fake.Ask("counters"), "nothing is open about 88 % of the GPU time so far"));
  fake.pending = false;
  CHECK(Contains(fake.Ask("counters"), "no more samples can come"));
}

TEST_CASE("A request that nobody knows fails") {
  Fake fake;
  for (const char* request : {"", "stopp", "dump", "status now"}) {
    CHECK(Contains(fake.Ask(request), "failed\n"));
  }
}

int Connect() {
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const options::ControlAddress at = options::ControlAddressOf(getpid());
  REQUIRE(connect(client, reinterpret_cast<const sockaddr*>(&at.address), at.bytes) == 0);
  options::LimitWaits(client, 10);
  return client;
}

std::string Ask(const std::string& request) {
  const int client = Connect();
  REQUIRE(options::SendText(client, request));
  const std::string answer = options::ReceiveText(client, /*whole_line=*/false);
  close(client);
  return answer;
}

// How many descriptors of this process are the socket of `pid`.
int CountSockets(pid_t pid) {
  const options::ControlAddress at = options::ControlAddressOf(pid);
  int count = 0;
  for (int fd = 0; fd < 256; ++fd) {
    sockaddr_un address{};
    socklen_t bytes = sizeof(address);
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) continue;
    if (bytes == at.bytes && std::memcmp(&address, &at.address, bytes) == 0) ++count;
  }
  return count;
}

// One case: the server is there until the process ends.
TEST_CASE("The server answers its user, leaves silent clients, and is not in a forked child") {
  REQUIRE(StartControlServer([](const std::string& request) {
            return "ok\n<" + request + ">\n";
          }).empty());
  CHECK(Ask("status\n") == "ok\n<status>\n");
  const int silent = Connect();
  CHECK(options::PeerOf(silent).pid == getpid());
  CHECK(options::PeerOf(silent).uid == geteuid());
  CHECK(Ask("a\nb\n") == "ok\n<a>\n");  // once the silent one's time is over
  close(silent);
  CHECK(Ask(std::string(options::kMostControlBytes, 'x')).empty());

  CHECK_FALSE(StartControlServer([](const std::string&) { return ""; }).empty());  // one name
  const pid_t child = fork();
  if (child == 0) _exit(CountSockets(getppid()));
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(CountSockets(getpid()) >= 1);
}

}  // namespace
}  // namespace prof::capture::control_test
