// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/device_turn.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "test/support/catch.h"

namespace prof::cupti::test::device_turn_test {
namespace {

constexpr int64_t kMs = 1'000'000;

// Files of a GPU that no other test uses.
struct Folder {
  Folder() {
    char name[] = "/tmp/prof_turn_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() {
    for (const char* file : {"/prof-gpu-00ff.turn", "/prof-gpu-00ff.queue", "/prof-gpu-11.turn",
                             "/prof-gpu-11.queue"}) {
      unlink((path + file).c_str());
    }
    rmdir(path.c_str());
  }
  std::string path;
};

TEST_CASE("One of two processes has the turn on a GPU, the other one gets it afterwards") {
  const Folder folder;
  DeviceTurn one, other;
  one.Open(folder.path, "00ff");
  other.Open(folder.path, "00ff");
  int64_t now_ns = kMs;
  REQUIRE(one.Take(now_ns));
  CHECK(one.Take(now_ns));  // it still has it
  CHECK_FALSE(other.Take(now_ns));
  CHECK(other.retry_ns() == now_ns + DeviceTurn::kRetryNs);

  CHECK_FALSE(one.IsOver(now_ns + DeviceTurn::kTurnNs - 1));
  now_ns += DeviceTurn::kTurnNs;
  CHECK(one.IsOver(now_ns));
  one.Give(now_ns);
  CHECK_FALSE(one.Take(now_ns));  // the other one is first
  CHECK(other.Take(now_ns));
  CHECK_FALSE(other.IsOver(now_ns + DeviceTurn::kTurnNs));  // nobody waits yet
  CHECK_FALSE(one.Take(now_ns + 2 * DeviceTurn::kRetryNs));
  CHECK(other.IsOver(now_ns + DeviceTurn::kTurnNs));
}

TEST_CASE("A child that was forked during a turn does not keep it") {
  const Folder folder;
  pid_t child = -1;
  {
    DeviceTurn turn;
    turn.Open(folder.path, "00ff");
    REQUIRE(turn.Take(0));
    child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  DeviceTurn next;
  next.Open(folder.path, "00ff");
  CHECK(next.Take(0));
  REQUIRE(child > 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("A turn is not over while nobody waits") {
  const Folder folder;
  DeviceTurn turn;
  turn.Open(folder.path, "00ff");
  REQUIRE(turn.Take(0));
  CHECK_FALSE(turn.IsOver(100 * DeviceTurn::kTurnNs));
}

TEST_CASE("Turns on different GPUs have nothing to do with each other") {
  const Folder folder;
  DeviceTurn one, other;
  one.Open(folder.path, "00ff");
  other.Open(folder.path, "11");
  CHECK(one.Take(kMs));
  CHECK(other.Take(kMs));
}

TEST_CASE("A process that ends gives its turn back") {
  const Folder folder;
  DeviceTurn other;
  other.Open(folder.path, "00ff");
  {
    DeviceTurn one;
    one.Open(folder.path, "00ff");
    REQUIRE(one.Take(kMs));
  }
  CHECK(other.Take(kMs));
}

TEST_CASE("Without the file everybody has a turn") {
  DeviceTurn one, other, closed;
  one.Open("/nowhere", "00ff");
  other.Open("/nowhere", "00ff");
  CHECK(one.Take(kMs));
  CHECK(other.Take(kMs));
  CHECK_FALSE(one.IsOver(100 * DeviceTurn::kTurnNs));
  one.Give(kMs);
  CHECK(one.Take(kMs));
  closed.Open("/tmp", "");  // the driver gives no UUID
  CHECK(closed.Take(kMs));
}

}  // namespace
}  // namespace prof::cupti::test::device_turn_test
