// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/fork_guard.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>

#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/process/thread_id.h"

namespace prof::capture {
namespace {

std::atomic<bool> children_are_inert{false};
std::atomic<bool> forked_child{false};
std::atomic<void (*)()> child_hooks[kForkHooks] = {};

Mutex forking;  // after it the exit guard
thread_local bool holds_forking = false;

// Not for ever: the thread that loads a library needs the loader's lock, which this one may hold.
void BeforeFork() PROF_NOT_CHECKED {
  holds_forking = forking.LockBefore(std::chrono::steady_clock::now() + kLongestForkWait);
  HoldExitGuard();
}

void AfterFork() PROF_NOT_CHECKED {
  ReleaseExitGuard();
  if (holds_forking) forking.Unlock();
  holds_forking = false;
}

void OnForkedChild() PROF_NOT_CHECKED {
  // The fork did not wait, and the thread that holds the lock is not in the child.
  if (!holds_forking) new (&forking) Mutex;
  AfterFork();
  if (children_are_inert.load()) forked_child.store(true, std::memory_order_relaxed);
  ForgetThreadIdAfterFork();
  for (const auto& slot : child_hooks) {
    if (auto* hook = slot.load(std::memory_order_acquire)) hook();
  }
}

}  // namespace

void GuardAgainstFork() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(&BeforeFork, &AfterFork, &OnForkedChild); });
}

void MakeForkedChildrenInert() {
  GuardAgainstFork();
  children_are_inert.store(true);
}

void RunInForkedChild(ForkHook owner, void (*hook)()) {
  child_hooks[static_cast<size_t>(owner)].store(hook, std::memory_order_release);
  GuardAgainstFork();
}

NoForks::NoForks() PROF_NOT_CHECKED
    : holds_(forking.LockBefore(std::chrono::steady_clock::now() + kLongestForkWait)) {}

NoForks::~NoForks() PROF_NOT_CHECKED {
  if (holds_) forking.Unlock();
}

bool InForkedChild() { return forked_child.load(std::memory_order_relaxed); }

}  // namespace prof::capture
