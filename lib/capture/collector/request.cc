// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/request.h"

namespace prof::capture {

bool Request::Ask(const std::string& argument, std::chrono::milliseconds timeout) {
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  const MutexLock lock(mutex_);
  if (!open_) return false;
  argument_ = argument;
  const uint64_t ticket = ++wanted_;
  wake_();
  while (done_ < ticket && open_ && std::chrono::steady_clock::now() < deadline) {
    mutex_.WaitBefore(answered_, deadline);
  }
  return done_ >= ticket && ok_;
}

void Request::Open() {
  const MutexLock lock(mutex_);
  open_ = true;
}

void Request::Close(Deadline deadline) {
  if (!mutex_.LockBefore(deadline)) return;
  const MutexLock lock(mutex_, std::adopt_lock);
  open_ = false;
  answered_.notify_all();
}

std::optional<Request::Pending> Request::Next() {
  const MutexLock lock(mutex_);
  if (wanted_ == done_) return std::nullopt;
  return Pending{wanted_, argument_};
}

void Request::Answer(uint64_t ticket, bool ok) {
  const MutexLock lock(mutex_);
  done_ = ticket;
  ok_ = ok;
  answered_.notify_all();
}

}  // namespace prof::capture
