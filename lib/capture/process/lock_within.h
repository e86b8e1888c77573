// SPDX-License-Identifier: Apache-2.0
//
// Locks that a handler of a signal may find held by its own thread: they are given up in time.
#ifndef PROF_LIB_CAPTURE_PROCESS_LOCK_WITHIN_H_
#define PROF_LIB_CAPTURE_PROCESS_LOCK_WITHIN_H_

#include <chrono>
#include <mutex>
#include <thread>

namespace prof::capture {

using Deadline = std::chrono::steady_clock::time_point;

// Owns nothing when `deadline` has passed. Tries every millisecond: it is rarely held, and what
// std::timed_mutex calls is unknown to ThreadSanitizer (GCC 12), which then sees races everywhere.
inline std::unique_lock<std::mutex> LockBefore(std::mutex& mutex, Deadline deadline) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  while (!lock.owns_lock() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

inline std::unique_lock<std::mutex> LockWithin(std::mutex& mutex,
                                               std::chrono::milliseconds timeout) {
  return LockBefore(mutex, std::chrono::steady_clock::now() + timeout);
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_LOCK_WITHIN_H_
