// SPDX-License-Identifier: Apache-2.0
//
// In a child that was forked while its parent was recorded, everything of ours is inert.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "lib/capture/capture.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/threads/thread_recorder.h"
#include "prof/session.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::test {
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

template <int kNumber>
void Hook() {}

TEST_CASE("A hook for forked children that finds no room is refused, and a known one is not") {
  const int result = InChild([] {  // hooks stay for the life of a process
    if (!RunInForkedChild(&Hook<0>)) return 1;
    (void)RunInForkedChild(&Hook<1>);
    (void)RunInForkedChild(&Hook<2>);
    (void)RunInForkedChild(&Hook<3>);
    if (RunInForkedChild(&Hook<4>)) return 2;
    return RunInForkedChild(&Hook<0>) ? 0 : 3;
  });
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
}  // namespace prof::capture::test
