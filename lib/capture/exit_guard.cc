// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/exit_guard.h"

#include <atomic>
#include <cstdlib>

namespace prof::capture {
namespace {

std::atomic<void (*)()> action{nullptr};

void RunAction() {
  if (auto* stop = action.load(std::memory_order_acquire)) stop();
}

}  // namespace

void SetExitAction(void (*stop)()) { action.store(stop, std::memory_order_release); }

void GuardExit() { std::atexit(&RunAction); }

}  // namespace prof::capture
