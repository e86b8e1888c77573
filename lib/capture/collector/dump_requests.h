// SPDX-License-Identifier: Apache-2.0
//
// Dump requests ask for a file of what a recording keeps: Session::Dump(), or a signal.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_DUMP_REQUESTS_H_
#define PROF_LIB_CAPTURE_COLLECTOR_DUMP_REQUESTS_H_

#include <chrono>
#include <functional>
#include <string>

#include "lib/capture/collector/request.h"

namespace prof::capture {

class DumpRequests {
 public:
  // `signal`: 0 for none. `output`: the path of the recording, after which dumps that the signal
  // asked for are named. `wake` wakes the collector and is async-signal-safe.
  DumpRequests(int signal, std::string output, void (*wake)());

  // Any thread. False as in Request::Ask, and when `path` is empty or cannot be written.
  [[nodiscard]] bool Ask(const std::string& path, std::chrono::milliseconds timeout);

  // Before the collector's thread starts: catches the signal.
  void Open();
  // The collector. Writes the dumps that were asked for with `write`, which returns the path that
  // it wrote to, and nothing on a failure.
  void Answer(const std::function<std::string(const std::string& path)>& write);
  // The collector: writes a dump that nobody asked for. Returns its path; empty: it failed.
  std::string WriteOwn(const std::function<std::string(const std::string& path)>& write);
  // The collector has ended, or is left behind: as Request::Close.
  void Close(Deadline deadline = Deadline::max()) { request_.Close(deadline); }

 private:
  const int signal_;
  const std::string output_;
  void (*const wake_)();
  Request request_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_DUMP_REQUESTS_H_
