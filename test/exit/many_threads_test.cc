// SPDX-License-Identifier: Apache-2.0
//
// Programs with many threads and streams get bounded memory, and what did not fit is counted.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "lib/capture/capture.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::test::many_threads_test {
namespace {

constexpr std::chrono::milliseconds kPatience(20'000);

#if defined(PROF_SANITIZED)
constexpr bool kSanitized = true;  // shadow memory and freed memory count as resident
#else
constexpr bool kSanitized = false;
#endif

long ResidentMib() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * getpagesize() / (1 << 20);
}

std::unique_ptr<Capture> Start() {
  SubsystemStatus why;
  std::unique_ptr<Capture> capture = Capture::Start({}, false, {}, &why);
  REQUIRE(capture != nullptr);
  return capture;
}

model::Model Read(const Snapshot& snapshot) {
  absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  INFO(model.status());
  REQUIRE(model.ok());
  return *std::move(model);
}

TEST_CASE("Ranges of 500 threads at once are recorded, or counted as dropped") {
  constexpr int kThreads = 500, kRanges = 20;
  FakeGpu gpu;
  const auto capture = Start();
  const long before = ResidentMib();
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++ready;
      while (ready < kThreads) usleep(1000);
      for (int range = 0; range < kRanges; ++range) {
        PushRange({"one of many", "", 0, 0});
        PopRange("");
      }
      ++ready;
      while (ready < 2 * kThreads) usleep(1000);  // nobody's ring is free for another
    });
  }
  for (std::thread& thread : threads) thread.join();
  const model::Model model = Read(capture->Stop(kPatience));
  // Each range is two events.
  CHECK(2 * model.instances.size() + model.integrity.range_events_dropped ==
        2 * kThreads * kRanges);
  CHECK(model.instances.size() >= 256 * kRanges);  // as many rings as there are
  CHECK_FALSE(model.integrity.complete());
  if (!kSanitized) CHECK(ResidentMib() < before + 64);
}

TEST_CASE("10,000 threads that come and go leave all of their ranges, in bounded memory") {
  constexpr int kThreads = 10'000, kAtOnce = 50;
  FakeGpu gpu;
  const auto capture = Start();
  const long before = ResidentMib();
  for (int i = 0; i < kThreads; i += kAtOnce) {
    std::vector<std::thread> threads;
    threads.reserve(kAtOnce);
    for (int k = 0; k < kAtOnce; ++k) {
      threads.emplace_back([] {
        PushRange({"short life", "", 0, 0});
        PopRange("");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const model::Model model = Read(capture->Stop(kPatience));
  CHECK(2 * model.instances.size() + model.integrity.range_events_dropped == 2 * kThreads);
  if (!kSanitized) CHECK(ResidentMib() < before + 128);
}

TEST_CASE("Kernels of a thousand streams keep their streams") {
  constexpr uint32_t kStreams = 1000;
  FakeGpu gpu;
  const auto capture = Start();
  for (uint32_t i = 0; i < 10 * kStreams; ++i) {
    gpu.Emit([i](Encoder& encoder) {
      KernelEvent kernel = AKernel();
      kernel.stream = 1 + i % kStreams;
      kernel.correlation = 1 + i;
      encoder.Add(kernel);
      encoder.WriteIfLarge();
    });
  }
  const model::Model model = Read(capture->Stop(kPatience));
  CHECK(model.ops.size() == 10 * kStreams);
  std::set<uint32_t> streams;
  for (const model::Op& op : model.ops) streams.insert(op.stream);
  CHECK(streams.size() == kStreams);
  CHECK(model.integrity.complete());
}

TEST_CASE("Streams without end fill a table, not the memory, and are counted") {
  constexpr uint32_t kStreams = 80'000;  // of which 65,536 have room
  FakeGpu gpu;
  const auto capture = Start();
  gpu.Emit([](Encoder& encoder) {
    for (uint32_t i = 0; i < kStreams; ++i) {
      KernelEvent kernel = AKernel();
      kernel.stream = 1 + i;
      encoder.Add(kernel);
      encoder.WriteIfLarge();
    }
  });
  const Snapshot snapshot = capture->Stop(kPatience);
  CHECK(snapshot.integrity().dropped_by_cap == kStreams - 65'536);
}

}  // namespace
}  // namespace prof::capture::test::many_threads_test
