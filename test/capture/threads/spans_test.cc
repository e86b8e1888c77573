// SPDX-License-Identifier: Apache-2.0
//
// Tests of nvtxRangeStart and nvtxRangeEnd, which may cross threads; of threads that end; of forks.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_recorder.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::spans_test {
namespace {

using Paths = std::vector<std::string>;

TEST_CASE("A span is in its thread's path until it ends, and then an event of its own") {
  Recording recording;
  const uint64_t span = StartRange({"batch", "data"});
  CHECK(span != 0);
  CHECK(PushRange({"step", ""}) == 0);
  EndRange(span);
  CHECK(PopRange("") == 0);
  CHECK(recording.MyPaths() == Paths{"data:batch", "data:batch/step", "step", ""});
  REQUIRE(recording.spans.size() == 1);
  CHECK(recording.spans[0].path == "data:batch");
  const SpanEvent event = recording.spans[0].event;
  CHECK(event.start_tid == CurrentThreadId());
  CHECK(event.end_tid == CurrentThreadId());
  CHECK(event.start_ns <= recording.steps[0].time_ns);
  CHECK(event.end_ns >= recording.steps[1].time_ns);
}

TEST_CASE("A pop never takes a span") {
  Recording recording;
  PushRange({"step", ""});
  const uint64_t span = StartRange({"copy", ""});
  CHECK(PopRange("") == 0);
  CHECK(PopRange("") == -1);
  EndRange(span);
  CHECK(recording.MyPaths() == Paths{"step", "step/copy", "copy", ""});
}

TEST_CASE("A span that another thread ends leaves the path at the time of its end") {
  Recording recording;
  const uint64_t span = StartRange({"handed over", ""});
  PushRange({"step", ""});
  uint32_t ender = 0;
  std::thread([&] {
    ender = CurrentThreadId();
    EndRange(span);
  }).join();
  const int64_t ended_ns = RealtimeNs();
  const uint32_t path = CurrentPath();  // notices
  PushRange({"next", ""});
  PopRange("");
  PopRange("");
  CHECK(recording.MyPaths() ==
        Paths{"handed over", "handed over/step", "step", "step/next", "step", ""});
  CHECK(recording.Text(path) == "step");
  CHECK(recording.steps[2].time_ns <= ended_ns + kClockErrorNs);
  CHECK(recording.steps[2].time_ns >= recording.steps[1].time_ns);
  REQUIRE(recording.spans.size() == 1);
  CHECK(recording.spans[0].event.start_tid == CurrentThreadId());
  CHECK(recording.spans[0].event.end_tid == ender);
  CHECK(recording.spans[0].event.end_ns == recording.steps[2].time_ns);
}

TEST_CASE("Spans that other threads end are taken off in the order of their ends") {
  Recording recording;
  const uint64_t a = StartRange({"a", ""});
  const uint64_t b = StartRange({"b", ""});
  const uint64_t c = StartRange({"c", ""});
  std::thread([&] {
    EndRange(b);
    EndRange(c);
    EndRange(a);
  }).join();
  CHECK(CurrentPath() == 0);
  CHECK(recording.MyPaths() == Paths{"a", "a/b", "a/b/c", "a/c", "a", ""});
}

TEST_CASE("A span outlives the thread that started it") {
  Recording recording;
  uint64_t span = 0;
  uint32_t starter = 0;
  std::thread([&] {
    starter = CurrentThreadId();
    span = StartRange({"orphan", ""});
  }).join();
  EndRange(span);
  recording.Drain();
  CHECK(recording.PathsOf(starter) == Paths{"orphan", ""});
  REQUIRE(recording.spans.size() == 1);
  CHECK(recording.spans[0].path == "orphan");
  CHECK(recording.spans[0].event.start_tid == starter);
  CHECK(recording.spans[0].event.end_tid == CurrentThreadId());
}

TEST_CASE("An id that is unknown or has ended is ignored and counted") {
  Recording recording;
  EndRange(0);
  EndRange(12345);
  const uint64_t span = StartRange({"once", ""});
  EndRange(span);
  EndRange(span);
  CHECK(recording.reader.unbalanced_pops() == 3);
  recording.Drain();
  CHECK(recording.spans.size() == 1);
}

TEST_CASE("Ids of spans are not used again") {
  uint64_t last = 0;
  for (int i = 0; i < 40'000; ++i) {  // more than twice around the table
    const uint64_t span = StartRange({"span", ""});
    if (span == last) FAIL("reused");
    EndRange(last);
    EndRange(span);
    last = span;
  }
  CHECK(CurrentPath() == 0);
}

TEST_CASE("A thread that ends leaves its ranges") {
  Recording recording;
  uint32_t tid = 0;
  std::thread([&] {
    tid = CurrentThreadId();
    PushRange({"left open", ""});
  }).join();
  recording.Drain();
  CHECK(recording.PathsOf(tid) == Paths{"left open", ""});
}

TEST_CASE("A destructor of the thread may still open and close ranges") {
  struct AtExit {
    ~AtExit() {
      PushRange({"teardown", ""});
      PopRange("");
      PopRange("");
    }
  };
  Recording recording;
  uint32_t tid = 0;
  std::thread([&] {
    thread_local AtExit at_exit;
    (void)at_exit;
    tid = CurrentThreadId();
    PushRange({"body", ""});
  }).join();
  recording.Drain();
  CHECK(recording.PathsOf(tid) == Paths{"body", "body/teardown", "body", ""});
}

// A thread whose first range comes in the last round of its destructors: no end of it is ever seen.
void EndWithARange() {
  static pthread_key_t key;
  static const bool made = pthread_key_create(&key, [](void* rounds) {
                             const auto left = reinterpret_cast<uintptr_t>(rounds) - 1;
                             if (left != 0) {
                               pthread_setspecific(key, reinterpret_cast<void*>(left));
                               return;
                             }
                             PushRange({"in the last round", ""});
                             PopRange("");
                           }) == 0;
  REQUIRE(made);
  std::thread([] {
    pthread_setspecific(key, reinterpret_cast<void*>(PTHREAD_DESTRUCTOR_ITERATIONS));
  }).join();
}

TEST_CASE("Threads that are gone without our notice give their rings back") {
#if defined(PROF_SANITIZED_THREADS)
  PROF_SKIP("ThreadSanitizer lets go of a thread before the last round of its destructors");
#endif
  Recording recording;
  for (int i = 0; i < 300; ++i) {  // more than there are rings
    EndWithARange();
    recording.Drain();
  }
  uint32_t tid = 0;
  std::thread([&] {
    tid = CurrentThreadId();
    PushRange({"has a ring", ""});
    PopRange("");
  }).join();
  recording.Drain();
  CHECK(recording.PathsOf(tid) == Paths{"has a ring", ""});
  CHECK(recording.reader.events_dropped() == 0);
}

TEST_CASE("Any number of threads may come and go while somebody reads") {
  Recording recording;
  constexpr int kThreads = 6000;  // more than can live at the same time
  for (int i = 0; i < kThreads; ++i) {
    std::thread([] {
      PushRange({"short", ""});
      PopRange("");
    }).join();
    if (i % 100 == 0) recording.Drain();
  }
  recording.Drain();
  CHECK(recording.steps.size() == 2 * kThreads);
  CHECK(recording.reader.events_dropped() == 0);
}

TEST_CASE("The child of a fork records nothing, and its parent goes on") {
  GuardRangesAgainstFork();
  MakeForkedChildrenInert();  // as every recording does
  Recording recording;
  PushRange({"parent", ""});
  const uint64_t span = StartRange({"span", ""});
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int failed = 0;
    const auto expect = [&](bool ok, int bit) { failed |= ok ? 0 : bit; };
    expect(CurrentPath() == 0, 1);
    expect(PushRange({"child", ""}) == -2, 2);
    expect(PopRange("") == -2, 4);
    expect(StartRange({"child", ""}) != 0, 8);
    EndRange(span);
    Mark({"child", ""});
    Recording in_child;
    PushRange({"child", ""});
    in_child.Drain();
    expect(in_child.steps.empty() && in_child.spans.empty() && in_child.marks.empty(), 16);
    expect(CurrentThreadId() == static_cast<uint32_t>(getpid()), 32);
    _exit(failed);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  EndRange(span);
  PopRange("");
  CHECK(recording.MyPaths() == Paths{"parent", "parent/span", "parent", ""});
  CHECK(recording.spans.size() == 1);
}

}  // namespace
}  // namespace prof::capture::spans_test
