// SPDX-License-Identifier: Apache-2.0
//
// A request is work that threads of the program ask the collector for, and wait for.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_REQUEST_H_
#define PROF_LIB_CAPTURE_COLLECTOR_REQUEST_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/capture/process/mutex.h"

namespace prof::capture {

class Request {
 public:
  // `wake` wakes the collector. Any thread may call it.
  explicit Request(void (*wake)()) : wake_(wake) {}

  // Any thread. Asks for the work on `argument` and waits. False after `timeout`, when the work
  // failed, and while requests are not open. Where several threads ask at a time, the work is done
  // once, on the argument of the last one.
  [[nodiscard]] bool Ask(const std::string& argument, std::chrono::milliseconds timeout);

  // The collector. Nobody has to wait before Open and after Close.
  void Open();
  // Those who wait get their answer: false. It does nothing when the lock is not free by
  // `deadline`.
  void Close(Deadline deadline = Deadline::max());

  struct Pending {
    uint64_t ticket = 0;
    std::string argument;
  };
  // The collector. The work is done without the lock; Answer wakes those who wait for it.
  [[nodiscard]] std::optional<Pending> Next();
  void Answer(uint64_t ticket, bool ok);

 private:
  void (*const wake_)();
  Mutex mutex_;
  std::condition_variable answered_;
  bool open_ PROF_GUARDED_BY(mutex_) = false;
  uint64_t wanted_ PROF_GUARDED_BY(mutex_) = 0;  // tickets that were given out
  uint64_t done_ PROF_GUARDED_BY(mutex_) = 0;    // tickets that were answered
  bool ok_ PROF_GUARDED_BY(mutex_) = false;      // the last answer
  std::string argument_ PROF_GUARDED_BY(mutex_);
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_REQUEST_H_
