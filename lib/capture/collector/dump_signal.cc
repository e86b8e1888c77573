// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/dump_signal.h"

#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "lib/capture/process/fork_guard.h"

namespace prof::capture {
namespace {

std::atomic<bool> asked{false};
std::atomic<void (*)()> wake_up{nullptr};
std::atomic<int> caught{0};

void OnSignal(int) {
  const int saved = errno;
  asked.store(true);
  if (auto* wake = wake_up.load()) wake();
  errno = saved;
}

void ReleaseDumpSignalAfterFork() {
  const int signal = caught.load();
  struct sigaction now {};
  if (signal == 0 || sigaction(signal, nullptr, &now) != 0 || now.sa_handler != &OnSignal) return;
  struct sigaction none {};
  none.sa_handler = SIG_DFL;
  sigaction(signal, &none, nullptr);
}

}  // namespace

std::string CatchDumpSignal(int signal, void (*wake)()) {
  wake_up.store(wake);
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0) return std::strerror(errno);
  if (before.sa_handler == &OnSignal) return {};
  if (before.sa_handler != SIG_DFL) return "the program has an action of its own for it";
  RunInForkedChild(ForkHook::kDumpSignal, &ReleaseDumpSignalAfterFork);
  struct sigaction ours {};
  ours.sa_handler = &OnSignal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  if (sigaction(signal, &ours, nullptr) != 0) return std::strerror(errno);
  caught.store(signal);
  return {};
}

bool TakeDumpSignal() { return asked.exchange(false); }

}  // namespace prof::capture
