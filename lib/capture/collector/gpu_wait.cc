// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/gpu_wait.h"

#include <exception>
#include <system_error>
#include <utility>

#include "lib/capture/process/quiet_thread.h"

namespace prof::capture {

void GpuWait::Start(Work work) {
  shared_ = std::make_shared<Shared>();
  const auto run = [shared = shared_, work = std::move(work), wake = wake_] {
    bool ok = false;
    try {
      ok = work(shared->given_up);
    } catch (const std::exception&) {  // out of memory: as a GPU that failed
    }
    {
      const MutexLock lock(shared->mutex);
      shared->answer = ok;
      shared->over.notify_all();
    }
    wake();
  };
  try {
    thread_ = StartQuietThread("prof-wait", run);
  } catch (const std::system_error&) {
    run();
  }
}

std::optional<bool> GpuWait::Take() { return TakeBefore(std::chrono::steady_clock::now()); }

std::optional<bool> GpuWait::TakeBefore(Deadline deadline) {
  if (shared_ == nullptr) return std::nullopt;
  std::optional<bool> answer;
  {
    const MutexLock lock(shared_->mutex);
    while (!shared_->answer && std::chrono::steady_clock::now() < deadline) {
      shared_->mutex.WaitBefore(shared_->over, deadline);
    }
    answer = shared_->answer;
  }
  if (!answer) return std::nullopt;
  if (thread_.joinable()) thread_.join();
  shared_.reset();
  return answer;
}

void GpuWait::GiveUp() {
  if (shared_ == nullptr) return;
  shared_->given_up.store(true);
  if (thread_.joinable()) thread_.detach();
  shared_.reset();
}

}  // namespace prof::capture
