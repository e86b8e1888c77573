// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/mutex.h"

#include <chrono>
#include <thread>

#include "test/support/catch.h"

namespace prof::capture::mutex_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST_CASE("A mutex that stays held is given up at the deadline") {
  Mutex mutex;
  const MutexLock held(mutex);
  bool taken = true;
  const auto start = steady_clock::now();
  std::thread([&] {
    taken = mutex.LockBefore(steady_clock::now() + milliseconds(20));
    if (taken) mutex.Unlock();
  }).join();
  CHECK_FALSE(taken);
  CHECK(steady_clock::now() - start >= milliseconds(20));
}

TEST_CASE("A mutex that becomes free before the deadline is taken") {
  Mutex mutex;
  mutex.Lock();
  bool taken = false;
  std::thread waiting([&] {
    taken = mutex.LockBefore(steady_clock::now() + std::chrono::seconds(60));
    if (taken) mutex.Unlock();
  });
  std::this_thread::sleep_for(milliseconds(5));
  mutex.Unlock();
  waiting.join();
  CHECK(taken);
}

TEST_CASE("Waiting for a condition releases the mutex, and holds it again afterwards") {
  Mutex mutex;
  std::condition_variable condition;
  bool done = false;
  std::thread other([&] {
    const MutexLock lock(mutex);
    done = true;
    condition.notify_all();
  });
  {
    const MutexLock lock(mutex);
    while (!done) mutex.WaitBefore(condition, steady_clock::now() + std::chrono::seconds(60));
    bool free = true;
    std::thread([&] {
      free = mutex.TryLock();
      if (free) mutex.Unlock();
    }).join();
    CHECK_FALSE(free);
  }
  other.join();
}

}  // namespace
}  // namespace prof::capture::mutex_test
