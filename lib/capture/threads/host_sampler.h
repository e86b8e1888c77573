// SPDX-License-Identifier: Apache-2.0
//
// The host sampler looks, at random moments, at the threads of the program that called CUDA last
// and have made no CUDA call for a while: where they are, and what they wait in.
#ifndef PROF_LIB_CAPTURE_THREADS_HOST_SAMPLER_H_
#define PROF_LIB_CAPTURE_THREADS_HOST_SAMPLER_H_

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_waits.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::capture {

struct ThreadState;

// Has a thread of its own, which takes no lock of the program, sends no signal and calls nothing of
// CUDA. Between two looks it sleeps for 49 times of what they took at least: 2 % of a core at most.
class HostSampler {
 public:
  // `per_second`: moments, more than 0. `source`: of stacks; nullptr: no sample has one.
  HostSampler(int per_second, StackSource* source);
  ~HostSampler();
  HostSampler(const HostSampler&) = delete;
  HostSampler& operator=(const HostSampler&) = delete;

  // False: the system has no thread to give.
  [[nodiscard]] bool Start();
  // Any thread: the sampler's thread ends soon.
  void RequestStop();
  // Waits for the end of its thread, which is in a look at most.
  void Stop();
  // Any thread: between the two no samples are taken.
  void Pause() { paused_.store(true, std::memory_order_relaxed); }
  void Resume() { paused_.store(false, std::memory_order_relaxed); }

  // Any thread: the samples since the last call, in the order of time for each thread.
  [[nodiscard]] std::vector<HostSampleEvent> Take();
  // Any thread: moments that were left out, because the sampler had used up its share of a core or
  // had no processor, and samples without room.
  [[nodiscard]] uint64_t missed() const { return missed_.load(std::memory_order_relaxed); }

  static constexpr size_t kMostSamples = 1 << 14;  // that nobody has taken
  static constexpr size_t kMostThreads = 4;        // at a moment
  static constexpr int64_t kQuietNs = 200'000;     // without a CUDA call
  static constexpr int64_t kRecentNs = 1'000'000'000;

 private:
  struct Candidate {
    ThreadState* thread = nullptr;
    int64_t last_call_ticks = 0;
  };
  using Candidates = std::array<Candidate, kMostThreads>;

  void Run();
  int64_t NextMoment(int64_t planned_ns, int64_t now_ns, int64_t cost_ns);
  static Candidates FindCandidates();
  void LookAtAll(const ThreadWaits& waits);
  void LookAt(const ThreadState& thread, const ThreadWaits& waits);
  void Keep(const HostSampleEvent& sample);
  void Count(uint64_t missed) { missed_.fetch_add(missed, std::memory_order_relaxed); }

  const int64_t period_ns_;
  StackSource* const source_;
  sem_t wake_;
  std::atomic<bool> stopping_{false}, paused_{false};
  std::atomic<uint64_t> missed_{0};
  TickClock clock_;      // the sampler's thread
  uint64_t random_ = 0;  // likewise
  Mutex mutex_;
  std::vector<HostSampleEvent> samples_ PROF_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_HOST_SAMPLER_H_
