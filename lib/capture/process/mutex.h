// SPDX-License-Identifier: Apache-2.0
//
// Mutex is a std::mutex whose contracts clang checks (-Wthread-safety): which data it guards, and
// which functions need it held. GCC ignores the annotations.
#ifndef PROF_LIB_CAPTURE_PROCESS_MUTEX_H_
#define PROF_LIB_CAPTURE_PROCESS_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef __clang__
#define PROF_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define PROF_THREAD_ANNOTATION(x)
#endif
// On data: read and written only while the mutex is held.
#define PROF_GUARDED_BY(mutex) PROF_THREAD_ANNOTATION(guarded_by(mutex))
// On a function: the caller holds the mutex.
#define PROF_REQUIRES(...) PROF_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
// On a class that can be held, on one that holds it for a scope, and on their functions.
#define PROF_CAPABILITY(name) PROF_THREAD_ANNOTATION(capability(name))
#define PROF_SCOPED_CAPABILITY PROF_THREAD_ANNOTATION(scoped_lockable)
#define PROF_ACQUIRE(...) PROF_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define PROF_TRY_ACQUIRE(...) PROF_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define PROF_RELEASE(...) PROF_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
// On a function that locks for a caller who does not see the mutex: clang leaves it out.
#define PROF_NOT_CHECKED PROF_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace prof::capture {

using Deadline = std::chrono::steady_clock::time_point;

class PROF_CAPABILITY("mutex") Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() PROF_ACQUIRE() { mutex_.lock(); }
  void Unlock() PROF_RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool TryLock() PROF_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

  // False when `deadline` passes first: a signal handler may find the mutex held by its own thread.
  // It tries every millisecond. ThreadSanitizer (GCC 12) does not know what std::timed_mutex calls,
  // and sees races everywhere behind it.
  [[nodiscard]] bool LockBefore(Deadline deadline) PROF_TRY_ACQUIRE(true) {
    while (!mutex_.try_lock()) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  // Waits, with the mutex released meanwhile, until `condition` is notified or `deadline` passes.
  // The caller checks what it waited for.
  void WaitBefore(std::condition_variable& condition, Deadline deadline) PROF_REQUIRES(this) {
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    condition.wait_until(lock, deadline);
    lock.release();
  }

 private:
  std::mutex mutex_;
};

// Holds a mutex until the end of the scope.
class PROF_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PROF_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  // Takes over a mutex that LockBefore() or TryLock() has locked.
  MutexLock(Mutex& mutex, std::adopt_lock_t /*locked*/) PROF_REQUIRES(mutex) : mutex_(mutex) {}
  ~MutexLock() PROF_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_MUTEX_H_
