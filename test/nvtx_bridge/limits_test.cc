// SPDX-License-Identifier: Apache-2.0
//
// Tests that every table is bounded and counts what does not fit. They are a program of their own,
// because the tables belong to the process and stay full. Smaller tables come first.
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"
#include "nvtx_bridge/handlers.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::limits_test {
namespace {

using Paths = std::vector<std::string>;

TEST_CASE("Threads beyond the memory for rings know their path, and their events are counted") {
  Recording recording;
  constexpr int kThreads = static_cast<int>(kLargeRings + kSmallRings) + 20;
  std::mutex mutex;
  std::condition_variable changed;
  int ready = 0;
  bool done = false;
  std::atomic<int> lost_path{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      PushRange({"held", ""});
      if (CurrentPath() == kNoPath) ++lost_path;
      std::unique_lock<std::mutex> lock(mutex);
      ++ready;
      changed.notify_all();
      changed.wait(lock, [&] { return done; });
      lock.unlock();
      PopRange("");
    });
  }
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return ready == kThreads; });
    done = true;
  }
  changed.notify_all();
  for (std::thread& thread : threads) thread.join();
  recording.Drain();
  CHECK(lost_path == 0);
  CHECK(recording.steps.size() + recording.reader.events_dropped() == 2 * kThreads);
  CHECK(recording.reader.events_dropped() >= 40);
}

TEST_CASE("Spans beyond the table are counted once and do not disturb the stack") {
  Recording recording;
  std::vector<uint64_t> spans;
  for (uint32_t i = 0; i < kMaxOpenSpans; ++i) {
    // Off the stack from the 513th on: counted as too deep.
    spans.push_back(StartRange({"span", ""}));
  }
  const uint64_t too_deep = kMaxOpenSpans - kMaxDepth;
  CHECK(recording.reader.events_dropped() == too_deep);
  const uint64_t untracked = StartRange({"one more", ""});
  CHECK(untracked != 0);
  const uint64_t dropped = recording.reader.events_dropped();
  CHECK(dropped > too_deep);
  EndRange(untracked);
  CHECK(recording.reader.unbalanced_pops() == 0);
  CHECK(recording.reader.events_dropped() == dropped);
  recording.reader.Stop();  // 16,384 ends at once do not fit a ring, and are not what is tested
  for (const uint64_t span : spans) EndRange(span);
  CHECK(recording.reader.unbalanced_pops() == 0);
  CHECK(CurrentPath() == kNoPath);
  const uint64_t again = StartRange({"span", ""});
  CHECK(CurrentPath() != kNoPath);
  EndRange(again);
}

// A name without digits.
std::string Letters(uint32_t number) {
  std::string text;
  for (; text.size() < 6; number /= 16) text += static_cast<char>('g' + number % 16);
  return text;
}

TEST_CASE("A full path table gives the parent and counts, and known paths go on") {
  PushRange({"parent", ""});
  const uint32_t parent = CurrentPath();
  PushRange({"child", ""});
  const uint32_t child = CurrentPath();
  PopRange("");
  // Structure without end: 300 names, each with 300 names below it.
  for (uint32_t i = 0; i < kMaxPaths + 30'000; ++i) {
    PushRange({"outer " + Letters(i / 300), ""});
    PushRange({"inner " + Letters(i % 300), ""});
    PopRange("");
    PopRange("");
  }
  CHECK(thread_registry.paths.last() == kMaxPaths);

  Recording recording;
  CHECK(PushRange({"new name", ""}) == 1);
  CHECK(CurrentPath() == parent);
  CHECK(PushRange({"child", ""}) == 2);
  CHECK(CurrentPath() == child);
  CHECK(PopRange("") == 2);
  CHECK(PopRange("") == 1);
  CHECK(CurrentPath() == parent);
  CHECK(recording.reader.paths_dropped() == 1);
  CHECK(recording.MyPaths() == Paths{"parent", "parent/child", "parent"});
  CHECK(recording.infos.size() == kMaxPaths + 1);
  CHECK(recording.order_errors == 0);
  PopRange("");
}

TEST_CASE("Numbered strings that a program registers without end share a handle") {
  nvtxStringHandle_t last = nullptr, before = nullptr;
  for (uint32_t i = 0; i < 200'000; ++i) {
    before = last;
    last = nvtx::DomainRegisterStringA(nullptr, ("registered " + std::to_string(i)).c_str());
  }
  CHECK(last == before);
  CHECK(last !=
        reinterpret_cast<nvtxStringHandle_t>(const_cast<StoredString*>(RangeStrings::Overflow())));
  CHECK(nvtx::DomainCreateA("one more domain") !=
        reinterpret_cast<nvtxDomainHandle_t>(const_cast<StoredString*>(RangeStrings::Overflow())));
}

TEST_CASE("A full string table gives one shared handle, and ranges in its name are counted") {
  nvtxStringHandle_t last = nullptr;
  for (uint32_t i = 0; i < 200'000; ++i) {
    last = nvtx::DomainRegisterStringA(nullptr, ("text " + Letters(i)).c_str());
  }
  CHECK(last ==
        reinterpret_cast<nvtxStringHandle_t>(const_cast<StoredString*>(RangeStrings::Overflow())));
  for (uint32_t i = 0; i < 200'000; ++i) {
    CHECK(nvtx::DomainCreateA(("domain " + Letters(i)).c_str()) != nullptr);
  }
  Recording recording;
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = last;
  CHECK(nvtx::DomainRangePushEx(nullptr, &event) == 0);
  CHECK(thread_registry.paths.At(CurrentPath()).name == RangeStrings::OtherNames());
  CHECK(recording.reader.names_dropped() == 1);
  CHECK(recording.reader.paths_dropped() == 0);
  CHECK(nvtx::DomainRangePop(nullptr) == 0);
  CHECK(nvtx::DomainRangePushEx(nvtx::DomainCreateA("one more domain of many"), &event) == 0);
  CHECK(CurrentPath() == kNoPath);
  CHECK(recording.reader.names_dropped() == 1);
  CHECK(recording.reader.paths_dropped() == 1);
  CHECK(nvtx::DomainRangePop(nvtx::DomainCreateA("another domain")) == 0);
}

}  // namespace
}  // namespace prof::capture::limits_test
