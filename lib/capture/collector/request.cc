// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/request.h"

#include <algorithm>

namespace prof::capture {
namespace {

Deadline LockEnd() { return std::chrono::steady_clock::now() + Request::kLockWait; }

}  // namespace

bool Request::Ask(const std::string& argument, std::chrono::milliseconds timeout) {
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  const MutexLock lock(mutex_);
  if (!open_) return false;
  const bool same =
      !works_.empty() && !works_.back()->begun && works_.back()->pending.argument == argument;
  if (!same) {
    if (works_.size() == kMostPending) return false;
    works_.push_back(std::make_shared<Work>());
    works_.back()->pending = {++last_ticket_, argument};
  }
  const std::shared_ptr<Work> work = works_.back();
  ++work->waiting;
  wake_();
  while (!work->done && open_ && std::chrono::steady_clock::now() < deadline) {
    mutex_.WaitBefore(answered_, deadline);
  }
  // Nobody wants it any more.
  if (--work->waiting == 0 && !work->begun) {
    works_.erase(std::remove(works_.begin(), works_.end(), work), works_.end());
  }
  return work->ok;
}

void Request::Open() {
  const MutexLock lock(mutex_);
  open_ = true;
}

void Request::Close(Deadline deadline) {
  if (!mutex_.LockBefore(std::min(deadline, LockEnd()))) return;
  const MutexLock lock(mutex_, std::adopt_lock);
  open_ = false;
  works_.clear();
  answered_.notify_all();
}

std::optional<Request::Pending> Request::Next() {
  if (!mutex_.LockBefore(LockEnd())) return std::nullopt;
  const MutexLock lock(mutex_, std::adopt_lock);
  if (works_.empty()) return std::nullopt;
  works_.front()->begun = true;
  return works_.front()->pending;
}

void Request::Answer(uint64_t ticket, bool ok) {
  if (!mutex_.LockBefore(LockEnd())) return;
  const MutexLock lock(mutex_, std::adopt_lock);
  if (works_.empty() || works_.front()->pending.ticket != ticket) return;  // closed meanwhile
  works_.front()->done = true;
  works_.front()->ok = ok;
  works_.pop_front();
  answered_.notify_all();
}

}  // namespace prof::capture
