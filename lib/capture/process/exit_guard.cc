// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/exit_guard.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/process/timed_wait.h"

namespace prof::capture {
namespace {

constexpr int64_t kPeriodNs = 1'000'000;

using Clock = std::chrono::steady_clock;

std::atomic<void (*)()> action{nullptr};
std::atomic<Clock::rep> exit_deadline{Clock::time_point::max().time_since_epoch().count()};
std::atomic<int> times_left{10'000};
// Held while a thread of ours registers the handler. Otherwise a child that is forked meanwhile
// would inherit the lock that atexit() takes, and nobody there could release it.
Mutex registering;

void RunAction() {
  if (!Exiting()) {
    exit_deadline.store((Clock::now() + kExitTimeout).time_since_epoch().count());
  }
  // The action runs once, however often the handler is registered: it may wait long.
  if (auto* stop = action.exchange(nullptr, std::memory_order_acq_rel)) stop();
}

}  // namespace

void SetExitAction(void (*stop)()) { action.store(stop, std::memory_order_release); }

void GuardExit() { std::atexit(&RunAction); }

Clock::time_point ExitDeadline() {
  return Clock::time_point(Clock::duration(exit_deadline.load()));
}

bool Exiting() { return ExitDeadline() != Clock::time_point::max(); }

FirstAtExit::FirstAtExit() {
  sem_init(&wake_, 0, 0);
  try {
    thread_ = StartQuietThread("prof-exit", [this] { Run(); });
  } catch (const std::exception&) {
    // Handlers that are registered from now on run before ours.
  }
}

FirstAtExit::~FirstAtExit() {
  done_.store(true);
  sem_post(&wake_);
  if (thread_.joinable()) thread_.join();
  sem_destroy(&wake_);
  const MutexLock lock(registering);
  GuardExit();
}

void FirstAtExit::Run() {
  while (!done_.load() && times_left.fetch_sub(1, std::memory_order_relaxed) > 0) {
    WaitUntil(&wake_, MonotonicNs() + kPeriodNs);
    const MutexLock lock(registering);
    GuardExit();
  }
}

void HoldExitGuard() PROF_NOT_CHECKED { registering.Lock(); }

void ReleaseExitGuard() PROF_NOT_CHECKED { registering.Unlock(); }

}  // namespace prof::capture
