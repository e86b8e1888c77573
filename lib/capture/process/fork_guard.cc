// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/fork_guard.h"

#include <pthread.h>

#include <mutex>

#include "lib/capture/collector/dump_signal.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::capture {

namespace {

void InForkedChildOnly() {
  ReleaseExitGuard();
  DisableRangesAfterFork();
  ReleaseDumpSignalAfterFork();
}

}  // namespace

void GuardAgainstFork() {
  static std::once_flag once;
  std::call_once(once,
                 [] { pthread_atfork(&HoldExitGuard, &ReleaseExitGuard, &InForkedChildOnly); });
}

}  // namespace prof::capture
