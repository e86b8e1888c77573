// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/host_sampler.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_waits.h"
#include "lib/capture/threads/tick_clock.h"
#include "test/support/catch.h"

namespace prof::capture::test::host_sampler_test {
namespace {

using std::chrono::milliseconds;

void Call() {
  const int64_t now = NowTicks();
  RecordCall({now, now, 0, 0, 0, 0, 0});
}

// Looks that find stack 1 of every thread.
class FakeSource final : public StackSource {
 public:
  void Start(bool /*at_calls*/) override {}
  void Stop() override {}
  HostLook LookAt(const ThreadNumbers& thread) override {
    looked_at = thread.tid;
    return {HostSampleKind::kStack, 1, RealtimeNs()};
  }
  std::string problem() const override { return {}; }
  uint64_t dropped() const override { return 0; }

  std::atomic<uint32_t> looked_at{0};
};

// A thread that makes one call, and then waits.
class Waiter {
 public:
  Waiter() {
    std::promise<uint32_t> tid;
    std::future<uint32_t> known = tid.get_future();
    thread_ = std::thread([this, &tid] {
      Call();
      tid.set_value(CurrentThreadId());
      end_.get_future().wait();
    });
    tid_ = known.get();
  }
  ~Waiter() {
    end_.set_value();
    thread_.join();
  }
  uint32_t tid() const { return tid_; }

 private:
  std::promise<void> end_;
  std::thread thread_;
  uint32_t tid_ = 0;
};

// The samples of a thread, as soon as there are so many.
std::vector<HostSampleEvent> Await(HostSampler* sampler, uint32_t tid, size_t count) {
  std::vector<HostSampleEvent> found;
  for (int tries = 0; tries < 2000 && found.size() < count; ++tries) {
    std::this_thread::sleep_for(milliseconds(10));
    for (const HostSampleEvent& sample : sampler->Take()) {
      if (sample.tid == tid) found.push_back(sample);
    }
  }
  return found;
}

TEST_CASE("The kernel's line of a thread means running, a lock, a sleep, input or another wait") {
  using format::HostState;
  const auto call = [](long number) { return std::to_string(number) + " 0x1 0x2 0x0 0x7f\n"; };
  CHECK(StateOfLine("running\n") == HostState::kRunning);
  CHECK(StateOfLine(call(SYS_futex)) == HostState::kLock);
  CHECK(StateOfLine(call(SYS_clock_nanosleep)) == HostState::kSleep);
  CHECK(StateOfLine(call(SYS_read)) == HostState::kInput);
  CHECK(StateOfLine(call(SYS_wait4)) == HostState::kOther);
  CHECK(StateOfLine("-1 0x7ffd 0x7f\n") == HostState::kOther);  // a page that is being read
  CHECK(StateOfLine("") == HostState::kUnknown);
  CHECK(StateOfLine("no number") == HostState::kUnknown);
  CHECK(StateOfLine("202") == HostState::kUnknown);  // cut
}

TEST_CASE("A thread with a table of files of its own leaves those of the program alone") {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  const auto own = static_cast<uint32_t>(syscall(SYS_gettid));
  format::HostState gone = format::HostState::kOther, waiting = gone;
  std::thread([&] {
    const ThreadWaits waits;
    gone = waits.StateOf(0x7ffffff0);
    waiting = waits.StateOf(own);  // it waits for this thread, or is about to
  }).join();
  CHECK(fcntl(file, F_GETFD) >= 0);
  CHECK(gone == format::HostState::kUnknown);
  CHECK((waiting == format::HostState::kLock || waiting == format::HostState::kRunning ||
         waiting == format::HostState::kUnknown));
  close(file);
}

TEST_CASE("A thread that has made a call and makes no other one is sampled") {
  const Waiter waiter;
  FakeSource source;
  HostSampler sampler(1000, &source);
  REQUIRE(sampler.Start());
  const std::vector<HostSampleEvent> samples = Await(&sampler, waiter.tid(), 5);
  sampler.Stop();
  REQUIRE(samples.size() >= 5);
  CHECK(source.looked_at == waiter.tid());
  for (const HostSampleEvent& sample : samples) {
    CHECK(sample.kind == HostSampleKind::kStack);
    CHECK(sample.stack == 1);
    CHECK(sample.time_ns > 0);
  }
  CHECK((samples.back().state == HostState::kLock || samples.back().state == HostState::kUnknown));
}

TEST_CASE("Without an interpreter a sample has no stack") {
  const Waiter waiter;
  HostSampler sampler(1000, nullptr);
  REQUIRE(sampler.Start());
  const std::vector<HostSampleEvent> samples = Await(&sampler, waiter.tid(), 1);
  REQUIRE_FALSE(samples.empty());
  CHECK(samples[0].kind == HostSampleKind::kNative);
  CHECK(samples[0].stack == kNoStack);
}

TEST_CASE("A paused sampler takes no samples, and a thread that ended has none") {
  HostSampler sampler(1000, nullptr);
  REQUIRE(sampler.Start());
  uint32_t tid = 0;
  {
    const Waiter waiter;
    tid = waiter.tid();
    REQUIRE_FALSE(Await(&sampler, tid, 1).empty());
    sampler.Pause();
    std::this_thread::sleep_for(milliseconds(50));
    (void)sampler.Take();
    std::this_thread::sleep_for(milliseconds(50));
    CHECK(sampler.Take().empty());
    sampler.Resume();
    REQUIRE_FALSE(Await(&sampler, tid, 1).empty());
  }
  (void)sampler.Take();
  std::this_thread::sleep_for(milliseconds(50));
  for (const HostSampleEvent& sample : sampler.Take()) CHECK(sample.tid != tid);
}

TEST_CASE("Samples that nobody takes are bounded, and the others are counted") {
  class Quick final : public StackSource {
   public:
    void Start(bool /*at_calls*/) override {}
    void Stop() override {}
    HostLook LookAt(const ThreadNumbers&) override { return {}; }
    std::string problem() const override { return {}; }
    uint64_t dropped() const override { return 0; }
  } source;
  const Waiter waiter;
  // A period of a nanosecond: it never keeps up, and every moment that it leaves out is counted.
  HostSampler sampler(1'000'000'000, &source);
  REQUIRE(sampler.Start());
  std::this_thread::sleep_for(milliseconds(200));
  sampler.Stop();
  CHECK(sampler.missed() > 1000);
  CHECK(sampler.Take().size() <= HostSampler::kMostSamples);
}

}  // namespace
}  // namespace prof::capture::test::host_sampler_test
