// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/device_turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace prof::cupti {
namespace {

// flock needs no right to write, so a file of another user will do. A link is not followed.
int OpenShared(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int known = open(path.c_str(), kFlags);
  if (known >= 0 || errno != ENOENT) return known;
  const int made = open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0644);
  return made >= 0 || errno != EEXIST ? made : open(path.c_str(), kFlags);
}

bool Lock(int file, int operation) { return flock(file, operation | LOCK_NB) == 0; }

}  // namespace

// A child that was forked meanwhile shares the locks, and keeps them if they are only closed. Its
// own copy of this gives nothing back.
DeviceTurn::~DeviceTurn() {
  if (taken_by_ == getpid()) {
    if (has_) Lock(turn_, LOCK_UN);
    if (waits_) Lock(queue_, LOCK_UN);
  }
  if (turn_ >= 0) close(turn_);
  if (queue_ >= 0) close(queue_);
}

void DeviceTurn::Open(const std::string& folder, const std::string& uuid) {
  if (turn_ >= 0 || uuid.empty()) return;
  const std::string path = folder + "/prof-gpu-" + uuid;
  turn_ = OpenShared(path + ".turn");
  queue_ = OpenShared(path + ".queue");
}

bool DeviceTurn::Take(int64_t now_ns) {
  if (has_ || turn_ < 0 || queue_ < 0) return true;
  if (now_ns < retry_ns_) return false;
  taken_by_ = getpid();
  if (!Lock(turn_, LOCK_EX)) {
    waits_ = waits_ || Lock(queue_, LOCK_SH);
    retry_ns_ = now_ns + kRetryNs;
    return false;
  }
  if (waits_) Lock(queue_, LOCK_UN);
  waits_ = false;
  has_ = true;
  since_ns_ = now_ns;
  return true;
}

bool DeviceTurn::IsOver(int64_t now_ns) const {
  if (!has_ || now_ns - since_ns_ < kTurnNs) return false;
  if (!Lock(queue_, LOCK_EX)) return true;
  Lock(queue_, LOCK_UN);
  return false;
}

void DeviceTurn::Give(int64_t now_ns) {
  if (!has_) return;
  has_ = false;
  retry_ns_ = now_ns + 2 * kRetryNs;
  Lock(turn_, LOCK_UN);
}

}  // namespace prof::cupti
