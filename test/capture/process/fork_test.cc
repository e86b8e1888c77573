// SPDX-License-Identifier: Apache-2.0
//
// In a child that was forked while its parent was recorded, everything of ours is inert.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "lib/capture/capture.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/threads/thread_recorder.h"
#include "prof/session.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::test::fork_test {
namespace {

constexpr std::chrono::milliseconds kPatience(10'000);

// The exit status of a forked child that runs `body`; -1 when it took longer than 5 s or crashed.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("A forked child can use and drop a recording of its parent, at once and without effect") {
  FakeGpu gpu;
  SubsystemStatus why;
  std::unique_ptr<Capture> capture = Capture::Start({}, false, {}, &why);
  REQUIRE(capture != nullptr);
  const int result = InChild([&] {
    const auto start = std::chrono::steady_clock::now();
    if (!InForkedChild()) return 1;
    if (capture->Synchronize(kPatience)) return 2;
    const Status status = capture->status();
    if (status.timeline.state != State::kUnavailable || status.timeline.what.empty()) return 3;
    if (!capture->Stop(kPatience).bytes().empty()) return 4;
    capture.reset();
    SubsystemStatus refused;
    if (Capture::Start({}, false, {}, &refused) != nullptr) return 5;
    if (refused.what.find("forked") == std::string::npos) return 6;
    const auto took = std::chrono::steady_clock::now() - start;
    return took < std::chrono::milliseconds(500) ? 0 : 7;
  });
  CHECK(result == 0);
  gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
  const Snapshot snapshot = capture->Stop(kPatience);  // the parent goes on
  CHECK(snapshot.integrity().kernels == 1);
  CHECK(snapshot.integrity().complete());
}

TEST_CASE("A forked child can call every member of a session of its parent") {
  FakeGpu gpu;
  Session session;
  const int result = InChild([&] {
    (void)session.status();
    (void)session.counters_complete();
    if (session.Synchronize()) return 1;
    if (!session.Stop().bytes().empty()) return 2;
    session = Session();
    if (session.status().timeline.state != State::kUnavailable) return 3;
    return 0;
  });
  CHECK(result == 0);
  CHECK_FALSE(session.Stop().bytes().empty());
}

int hooks_run = 0;

TEST_CASE("Each hook for forked children runs once in a child, however often it is set") {
  const int result = InChild([] {  // hooks stay for the life of a process
    for (int i = 0; i < kForkHooks; ++i) {
      for (int times = 0; times < 3; ++times) {
        RunInForkedChild(static_cast<ForkHook>(i), [] { ++hooks_run; });
      }
    }
    if (InChild([] { return hooks_run; }) != kForkHooks) return 1;
    return hooks_run == 0 ? 0 : 2;
  });
  CHECK(result == 0);
}

TEST_CASE("A child whose fork did not wait for the thread that holds forks off can hold them off") {
  GuardAgainstFork();
  std::atomic<bool> holds{false}, over{false};
  std::thread holder([&] {
    const NoForks no_forks;
    holds = true;
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!holds) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int result = InChild([] {
    const auto start = std::chrono::steady_clock::now();
    { const NoForks no_forks; }
    if (InChild([] { return 0; }) != 0) return 1;
    return std::chrono::steady_clock::now() - start < kLongestForkWait / 2 ? 0 : 2;
  });
  over = true;
  holder.join();
  CHECK(result == 0);
}

TEST_CASE("Ranges of a forked child go nowhere") {
  FakeGpu gpu;
  SubsystemStatus why;
  const std::unique_ptr<Capture> capture = Capture::Start({}, false, {}, &why);
  REQUIRE(capture != nullptr);
  const int result = InChild([] {
    PushRange({"range 7c41", "", 0, 0});
    PopRange("");
    return CurrentPath() == 0 ? 0 : 1;
  });
  CHECK(result == 0);
  CHECK(capture->Stop(kPatience).bytes().find("range 7c41") == std::string::npos);
}

}  // namespace
}  // namespace prof::capture::test::fork_test
