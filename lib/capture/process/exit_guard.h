// SPDX-License-Identifier: Apache-2.0
//
// The exit guard stops the active capture before the static destructors of libraries that it still
// needs. CUPTI's host library corrupts the heap when it is used after its destructors.
#ifndef PROF_LIB_CAPTURE_PROCESS_EXIT_GUARD_H_
#define PROF_LIB_CAPTURE_PROCESS_EXIT_GUARD_H_

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace prof::capture {

// Sets what stops the active capture. It runs once, the next time that a handler runs. Any thread.
void SetExitAction(void (*stop)());

// Registers the handler that runs the action. It is called before the first recording, for sessions
// that nobody stops, and again after a library was loaded that a capture needs when it stops:
// handlers run in the reverse order of their registration. Each caller calls it once in a process,
// because a handler cannot be removed.
void GuardExit();

// At exit the program is done: it must not wait long for a GPU that does not answer.
constexpr std::chrono::milliseconds kExitTimeout(10'000);

// Once exit() has begun, everything that we wait for must be over by this deadline. Before that it
// is time_point::max(), and Exiting() is false. Any thread.
[[nodiscard]] std::chrono::steady_clock::time_point ExitDeadline();
[[nodiscard]] bool Exiting();

// While it lives, the action runs before handlers that libraries registered more than a millisecond
// ago. Our threads use it around calls that load libraries, or make statics in them, because the
// program may exit at any moment. (CUPTI's profiler does both for most of a second, and crashed in
// every program that ended meanwhile.) It registers the handler again every millisecond, at most
// 10,000 times in a process, and at its end. Each time costs 32 bytes that are never freed.
class FirstAtExit {
 public:
  FirstAtExit();
  ~FirstAtExit();
  FirstAtExit(const FirstAtExit&) = delete;
  FirstAtExit& operator=(const FirstAtExit&) = delete;

 private:
  void Run();

  sem_t wake_;
  std::atomic<bool> done_{false};
  std::thread thread_;  // empty when the system has no thread to give
};

// The thread that forks calls these before and after fork().
void HoldExitGuard();
void ReleaseExitGuard();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_EXIT_GUARD_H_
