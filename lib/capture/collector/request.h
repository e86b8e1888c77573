// SPDX-License-Identifier: Apache-2.0
//
// A request is work that threads of the program ask the collector for, and wait for.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_REQUEST_H_
#define PROF_LIB_CAPTURE_COLLECTOR_REQUEST_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "lib/capture/process/mutex.h"

namespace prof::capture {

class Request {
 public:
  // `wake` wakes the collector. Any thread may call it.
  explicit Request(void (*wake)()) : wake_(wake) {}

  // Any thread. Asks for the work on `argument` and waits. False after `timeout`, when the work
  // failed, and while requests are not open. Where several threads ask for the same at a time, the
  // work is done once.
  [[nodiscard]] bool Ask(const std::string& argument, std::chrono::milliseconds timeout);

  // The collector. Nobody has to wait before Open and after Close. From Open on the collector waits
  // for the lock no longer than this: a signal handler that ends the program may have interrupted
  // the thread that holds it, which never goes on.
  static constexpr std::chrono::milliseconds kLockWait{50};

  void Open();
  // Those who wait get their answer: false. It does nothing when the lock is not free in time, or
  // by `deadline`.
  void Close(Deadline deadline = Deadline::max());

  struct Pending {
    uint64_t ticket = 0;
    std::string argument;
  };
  // The collector: the oldest request, also one that is there next time. The work is done without
  // the lock; Answer wakes those who wait for it.
  [[nodiscard]] std::optional<Pending> Next();
  void Answer(uint64_t ticket, bool ok);

 private:
  // More are refused: the collector does not get to them.
  static constexpr size_t kMostPending = 64;

  struct Work {
    Pending pending;
    int waiting = 0;  // threads
    bool begun = false, done = false, ok = false;
  };

  void (*const wake_)();
  Mutex mutex_;
  std::condition_variable answered_;
  bool open_ PROF_GUARDED_BY(mutex_) = false;
  uint64_t last_ticket_ PROF_GUARDED_BY(mutex_) = 0;
  std::deque<std::shared_ptr<Work>> works_ PROF_GUARDED_BY(mutex_);  // not answered yet, in order
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_REQUEST_H_
