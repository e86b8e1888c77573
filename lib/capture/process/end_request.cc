// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/end_request.h"

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/process/quiet_thread.h"

namespace prof::capture {
namespace {

constexpr int64_t kLookNs = 500'000;
constexpr char kNotInTime[] =
    "prof: CUPTI did not answer within 2000 ms of the end; the recording is incomplete\n";
static_assert(kEndTimeout == std::chrono::milliseconds(2000), "kNotInTime has it");

std::atomic<pid_t> recorded_process{0};  // 0: nothing is recorded
std::atomic<void (*)()> wake_collector{nullptr};
std::atomic<bool> requested{false};
std::atomic<bool> said_not_in_time{false};

}  // namespace

void OpenEndRequests(void (*wake)()) {
  wake_collector.store(wake);
  recorded_process.store(getpid());
}

bool EndRequested() { return requested.load(std::memory_order_relaxed); }

void CloseEndRequests() { recorded_process.store(0); }

void EndRecordingNow() noexcept {
  const int error = errno;
  // A child of vfork() has another number, and our memory: it must not end our recording.
  const pid_t process = recorded_process.load();
  if (process == 0 || process != getpid() || IsQuietThread()) return;
  requested.store(true);
  if (auto* wake = wake_collector.load()) wake();
  const int64_t until_ns =
      MonotonicNs() + std::chrono::duration_cast<std::chrono::nanoseconds>(kEndTimeout).count();
  while (recorded_process.load() == process && MonotonicNs() < until_ns) {
    const timespec pause = {0, kLookNs};
    nanosleep(&pause, nullptr);
  }
  if (recorded_process.load() == process && !said_not_in_time.exchange(true)) {
    Complain("%s", kNotInTime);
  }
  errno = error;
}

}  // namespace prof::capture
