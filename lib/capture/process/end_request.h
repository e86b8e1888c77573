// SPDX-License-Identifier: Apache-2.0
//
// An end request asks the collector to end the recording because the process ends now, by _exit()
// or quick_exit(). Whoever asks may be in a signal handler and hold any lock, so it does nothing
// but wait, and not for long. It writes a line to stderr when that was too short.
#ifndef PROF_LIB_CAPTURE_PROCESS_END_REQUEST_H_
#define PROF_LIB_CAPTURE_PROCESS_END_REQUEST_H_

#include <chrono>

namespace prof::capture {

// A process that calls _exit() does not expect to wait: a GPU that does not answer in this time
// costs the recording its trailer.
constexpr std::chrono::milliseconds kEndTimeout(2'000);

// From now on this process has a collector that looks at EndRequested() when `wake` was called.
// `wake` must be async-signal-safe. By the thread that starts the collector.
void OpenEndRequests(void (*wake)());
// The collector's thread: whether it must end the recording now. One relaxed load.
[[nodiscard]] bool EndRequested();
// The recording has ended, or its collector was left behind: nobody waits for it. Any thread.
void CloseEndRequests();

// Asks, and returns when the recording has ended: at once where there is none, on a thread of ours,
// and in a child that shares our memory (vfork) or that was forked; after kEndTimeout otherwise.
// Any thread; async-signal-safe: no lock, no allocation.
void EndRecordingNow() noexcept;

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_END_REQUEST_H_
