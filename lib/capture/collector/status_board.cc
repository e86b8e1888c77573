// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/status_board.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "lib/capture/process/lock_within.h"
#include "lib/capture/threads/range_status.h"

namespace prof::capture {
namespace {

constexpr std::chrono::milliseconds kLockTimeout(1000);
constexpr size_t kMaxNotices = 256;

}  // namespace

Status SourcesStatus(const GpuSource& source, bool ranges) {
  Status status;
  status.timeline = source.timeline_status();
  status.ranges = RangesStatus(ranges);
  status.counters = source.counters_status();
  status.continuous = source.continuous_status();
  return status;
}

Status StatusBoard::status() const {
  const std::unique_lock<std::mutex> lock = LockWithin(mutex_, kLockTimeout);
  return lock.owns_lock() ? status_ : Status{};
}

void StatusBoard::AddNotice(NoticeEvent notice) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (notices_.size() < kMaxNotices) notices_.push_back(std::move(notice));
}

std::vector<NoticeEvent> StatusBoard::TakeNotices() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(notices_, {});
}

void StatusBoard::Update() {
  Status now = SourcesStatus(*source_, ranges_);
  const std::lock_guard<std::mutex> lock(mutex_);
  now.output = status_.output;
  status_ = std::move(now);
}

std::vector<NoticeEvent> StatusBoard::NewProblems() {
  Update();
  const Status& now = status_;  // which this thread alone writes
  std::vector<NoticeEvent> notices;
  for (const auto& [subsystem, part] : {std::pair{Subsystem::kTimeline, &Status::timeline},
                                        std::pair{Subsystem::kRanges, &Status::ranges},
                                        std::pair{Subsystem::kCounters, &Status::counters},
                                        std::pair{Subsystem::kCounters, &Status::continuous}}) {
    const SubsystemStatus& status = now.*part;
    const SubsystemStatus& before = reported_.*part;
    if (status.state != State::kUnavailable && status.state != State::kDegraded) continue;
    if (status.state == before.state && status.what == before.what) continue;
    notices.push_back({status.state == State::kUnavailable ? Severity::kError : Severity::kWarning,
                       subsystem, static_cast<uint32_t>(status.code), status.what, status.fix});
  }
  reported_ = now;
  return notices;
}

bool StatusBoard::ReportOutput(const SubsystemStatus& failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (status_.output.state == State::kUnavailable) return false;
  status_.output = failure;
  return true;
}

}  // namespace prof::capture
