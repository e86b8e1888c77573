// SPDX-License-Identifier: Apache-2.0
//
// Tests of many threads against one reader, which run under ThreadSanitizer too.
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_recorder.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::threads_test {
namespace {

constexpr int kThreads = 64;

// Runs `body(index)` on all threads while this one drains, and once more after them.
template <typename Body>
void RunAndDrain(Recording& recording, Body body) {
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      body(i);
      --running;
    });
  }
  while (running > 0) {
    recording.Drain();
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  recording.Drain();
}

TEST_CASE("Each of 64 threads gets its own steps, in order, complete") {
  constexpr int kRounds = 300;  // fits the rings even if this thread never gets to drain
  Recording recording;
  std::array<uint32_t, kThreads> tids{};
  RunAndDrain(recording, [&](int index) {
    tids[index] = CurrentThreadId();
    for (int round = 0; round < kRounds; ++round) {
      // New names all the time, which the threads insert at the same time.
      PushRange({"round " + std::to_string(round), ""});
      PushRange({"thread " + std::to_string(index % 4), "domain"});
      PopRange("domain");
      PopRange("");
    }
  });
  CHECK(recording.order_errors == 0);
  CHECK(recording.reader.events_dropped() == 0);
  std::unordered_map<uint32_t, std::vector<std::string>> paths;
  for (const Recording::Step& step : recording.steps) paths[step.tid].push_back(step.path);
  for (int index = 0; index < kThreads; ++index) {
    const std::vector<std::string>& mine = paths[tids[index]];
    REQUIRE(mine.size() == 4 * kRounds);
    for (int round = 0; round < kRounds; ++round) {
      // Many rounds are a family, which shares a node at last.
      std::string outer = "round " + std::to_string(round);
      if (mine[4 * static_cast<size_t>(round)] != outer) outer = "round \x01";
      const std::string inner = outer + "/domain:thread " + std::to_string(index % 4);
      const size_t at = 4 * static_cast<size_t>(round);
      const bool right = mine[at] == outer && mine[at + 1] == inner && mine[at + 2] == outer &&
                         mine[at + 3].empty();
      if (!right) FAIL("thread " << index << " round " << round);
    }
  }
}

TEST_CASE("Spans handed from thread to thread end exactly once") {
  constexpr int kRounds = 500;  // as above
  Recording recording;
  std::array<std::atomic<uint64_t>, 16> mailboxes{};
  RunAndDrain(recording, [&](int index) {
    for (int round = 0; round < kRounds; ++round) {
      PushRange({"work", ""});
      const uint64_t mine = StartRange({"request", "server"});
      // Whoever finds a span in the box ends it.
      const uint64_t theirs = mailboxes[(index + round) % mailboxes.size()].exchange(mine);
      if (theirs != 0) EndRange(theirs);
      CurrentPath();
      PopRange("");
    }
  });
  for (std::atomic<uint64_t>& box : mailboxes) {
    if (const uint64_t last = box.exchange(0)) EndRange(last);
  }
  recording.Drain();
  CHECK(recording.reader.unbalanced_pops() == 0);
  CHECK(recording.reader.events_dropped() == 0);
  CHECK(recording.spans.size() == kThreads * kRounds);
  CHECK(recording.order_errors == 0);
  for (const Recording::Span& span : recording.spans) {
    if (span.event.end_ns < span.event.start_ns) FAIL("a span ends before it starts");
  }
  // A thread may have read its counter before the span that it took had arrived. Few do.
  CHECK(recording.reader.ends_moved() < kThreads * kRounds / 100);
}

TEST_CASE("Recordings may start and stop while threads open and close ranges") {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!done) {
        PushRange({"outer", ""});
        PushRange({"inner", ""});
        PopRange("");
        PopRange("");
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    Recording recording;
    for (int drains = 0; drains < 3; ++drains) {
      recording.Drain();
      std::this_thread::yield();
    }
    recording.reader.Stop();
    recording.Drain();
    CHECK(recording.order_errors == 0);
    for (const Recording::Step& step : recording.steps) {
      const bool known = step.path.empty() || step.path == "outer" || step.path == "outer/inner";
      if (!known) FAIL("a path that was never open: " << step.path);
    }
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace prof::capture::threads_test
