// SPDX-License-Identifier: Apache-2.0
//
// Control requests are what `prof ctl` may ask of a recording, as lines of text, and their answers.
#ifndef PROF_LIB_CAPTURE_CONTROL_CONTROL_REQUESTS_H_
#define PROF_LIB_CAPTURE_CONTROL_CONTROL_REQUESTS_H_

#include <functional>
#include <optional>
#include <string>

#include "prof/session.h"

namespace prof::capture {

enum class Ended { kNow, kBefore, kNot };

// What a recording can do. All are called on the control server's thread.
struct Controlled {
  std::function<bool()> start, stop;  // resume, pause
  std::function<Ended()> end;         // for good
  std::function<bool(const std::string& path)> dump;
  std::function<Status()> status;
  std::function<bool()> paused, counters_complete, counters_pending;
  std::function<std::optional<double>()> decided_share;  // GpuSource::decided_share
  std::function<std::string()> output;
  int keep_last_seconds = 0;
};

// The answer to "start", "stop", "end", "dump PATH", "status" or "counters": a first line "ok" or
// "failed", then text for people, with the way out of a failure.
[[nodiscard]] std::string AnswerControl(const Controlled& recording, const std::string& request);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_CONTROL_CONTROL_REQUESTS_H_
