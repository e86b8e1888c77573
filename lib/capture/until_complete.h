// SPDX-License-Identifier: Apache-2.0
//
// This file ends an injected recording when its counters are complete, while the program goes on.
#ifndef PROF_LIB_CAPTURE_UNTIL_COMPLETE_H_
#define PROF_LIB_CAPTURE_UNTIL_COMPLETE_H_

#include <functional>

#include "lib/capture/capture.h"

namespace prof::capture {

// Starts a thread that stops `recording` once its counters are complete, or `seconds` after this
// call. `recording` is never destroyed. Throws std::system_error when the system has no thread.
void StopWhenComplete(Capture* recording, double seconds);

// What the thread does: asks `complete` every 50 ms, for `seconds`. True: it was complete.
[[nodiscard]] bool AwaitComplete(const std::function<bool()>& complete, double seconds);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_UNTIL_COMPLETE_H_
