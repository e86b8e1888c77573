// SPDX-License-Identifier: Apache-2.0
//
// The order of things at exit: an active capture stops before the static destructors of libraries
// that it still needs. CUPTI's host library used after its destructors corrupts the heap.
#ifndef PROF_LIB_CAPTURE_PROCESS_EXIT_GUARD_H_
#define PROF_LIB_CAPTURE_PROCESS_EXIT_GUARD_H_

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace prof::capture {

// What stops the active capture: done once, the next time that a handler runs. Any thread.
void SetExitAction(void (*stop)());

// Registers the handler that runs the action. Called before the first recording, for sessions that
// nobody stops, and again by whoever has loaded a library that a capture needs when it stops:
// handlers run in the reverse order of their registration. Once in a process for each caller:
// handlers cannot be taken back.
void GuardExit();

// At exit the program is done: it must not wait long for a GPU that does not answer.
constexpr std::chrono::milliseconds kExitTimeout(10'000);

// When all that we wait for has to be over once exit() has begun; time_point::max() before that,
// when Exiting() is false. Any thread.
std::chrono::steady_clock::time_point ExitDeadline();
bool Exiting();

// While it lives, the action is at most a millisecond behind what libraries register: for calls on
// our threads that load libraries, or make statics in them, while the program may exit at any
// moment. (CUPTI's profiler does both for most of a second, and crashed in every program that ended
// meanwhile.) It registers the handler again every millisecond, in a process 10,000 times at most,
// and at its end; each costs 32 bytes for ever.
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
  std::thread thread_;  // none where the system has none to give
};

// Around fork(), in the thread that forks.
void HoldExitGuard();
void ReleaseExitGuard();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_EXIT_GUARD_H_
