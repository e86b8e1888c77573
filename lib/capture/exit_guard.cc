// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/exit_guard.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "lib/capture/clock.h"
#include "lib/capture/quiet_thread.h"
#include "lib/capture/timed_wait.h"

namespace prof::capture {
namespace {

constexpr int64_t kPeriodNs = 1'000'000;

std::atomic<void (*)()> action{nullptr};
std::atomic<int> times_left{10'000};

void RunAction() {
  if (auto* stop = action.load(std::memory_order_acquire)) stop();
}

}  // namespace

void SetExitAction(void (*stop)()) { action.store(stop, std::memory_order_release); }

void GuardExit() { std::atexit(&RunAction); }

FirstAtExit::FirstAtExit() {
  sem_init(&wake_, 0, 0);
  try {
    thread_ = StartQuietThread("prof-exit", [this] { Run(); });
  } catch (const std::exception&) {  // then what is registered from now on comes before us
  }
}

FirstAtExit::~FirstAtExit() {
  done_.store(true);
  sem_post(&wake_);
  if (thread_.joinable()) thread_.join();
  sem_destroy(&wake_);
}

void FirstAtExit::Run() {
  bool last = false;
  while (!last && times_left.fetch_sub(1, std::memory_order_relaxed) > 0) {
    WaitUntil(&wake_, MonotonicNs() + kPeriodNs);
    last = done_.load();
    GuardExit();
  }
}

}  // namespace prof::capture
