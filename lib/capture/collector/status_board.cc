// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/status_board.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "lib/capture/process/complain.h"
#include "lib/capture/threads/range_status.h"

namespace prof::capture {
namespace {

constexpr std::chrono::milliseconds kLockTimeout(1000);
constexpr size_t kMaxWaitingNotices = 256;

}  // namespace

Status SourcesStatus(const GpuSource& source, bool ranges) {
  Status status;
  status.timeline = source.timeline_status();
  status.ranges = RangesStatus(ranges);
  status.counters = source.counters_status();
  status.continuous = source.continuous_status();
  return status;
}

void PrintProblems(const Status& status) {
  for (const auto& [name, part] :
       {std::pair{"timeline", &status.timeline}, std::pair{"counters", &status.counters},
        std::pair{"continuous counters", &status.continuous}}) {
    if (part->state != State::kUnavailable) continue;
    Complain("prof: no %s: %s%s%s\n", name, part->what.c_str(),
             part->fix.empty() ? "" : "; to get it: ", part->fix.c_str());
  }
}

Status StatusBoard::status() const {
  if (!mutex_.LockBefore(std::chrono::steady_clock::now() + kLockTimeout)) return {};
  const MutexLock lock(mutex_, std::adopt_lock);
  return status_;
}

void StatusBoard::AddNotice(NoticeEvent notice) {
  const MutexLock lock(mutex_);
  if (notices_.size() < kMaxWaitingNotices) notices_.push_back(std::move(notice));
}

std::vector<NoticeEvent> StatusBoard::TakeNotices() {
  const MutexLock lock(mutex_);
  return std::exchange(notices_, {});
}

Status StatusBoard::Update() {
  Status now = SourcesStatus(*source_, ranges_);
  const MutexLock lock(mutex_);
  now.output = status_.output;
  status_ = now;
  return now;
}

std::vector<NoticeEvent> StatusBoard::NewProblems() {
  const Status now = Update();
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

bool StatusBoard::ReportOutput(const SubsystemStatus& problem) {
  const MutexLock lock(mutex_);
  if (status_.output.state == State::kUnavailable) return false;
  status_.output = problem;
  return true;
}

}  // namespace prof::capture
