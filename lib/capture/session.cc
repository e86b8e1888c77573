// SPDX-License-Identifier: Apache-2.0
#include "prof/session.h"

#include <chrono>
#include <exception>
#include <utility>

#include "lib/capture/capture.h"
#include "lib/capture/process/exit_guard.h"

namespace prof {
namespace {

constexpr std::chrono::milliseconds kStopTimeout(20'000);  // 10 s for the GPU, the rest for CUPTI
constexpr std::chrono::milliseconds kSyncTimeout(10'000);
constexpr std::chrono::milliseconds kPauseTimeout(20'000);  // 10 s for the GPU
constexpr std::chrono::milliseconds kDumpTimeout(10'000);

}  // namespace

struct Session::Impl {
  std::unique_ptr<capture::Capture> capture;
  SubsystemStatus why_not;  // when there is no capture
  Snapshot snapshot;
  Status last_status;
  bool were_complete = false;  // counters, at the end
};

// The catch blocks below keep the library's promise: when we run out of memory, the program gets no
// exception.

Session::Session(SessionOptions options) noexcept {
  try {
    impl_ = std::make_unique<Impl>();
    impl_->capture =
        capture::Capture::Start(std::move(options), /*injected=*/false, {}, &impl_->why_not);
  } catch (const std::exception& error) {
    if (impl_ != nullptr) impl_->why_not = {State::kUnavailable, 0, "prof could not start", ""};
  }
}

Session::~Session() {
  if (impl_ != nullptr && impl_->capture != nullptr) Stop();
  // At exit another thread's Stop may still run, and there is no time to wait for it.
  if (capture::Exiting()) (void)impl_.release();
}

Session::Session(Session&& other) noexcept = default;

Session& Session::operator=(Session&& other) noexcept {
  if (this != &other) {
    const Session stopped(std::move(*this));
    impl_ = std::move(other.impl_);
  }
  return *this;
}

Status Session::status() const noexcept {
  Status status;
  if (impl_ == nullptr) return status;
  try {
    if (impl_->capture != nullptr) return impl_->capture->status();
    if (impl_->why_not.state == State::kUnavailable) {
      status.timeline = status.ranges = status.counters = status.continuous = impl_->why_not;
    } else {
      status = impl_->last_status;
    }
  } catch (const std::exception&) {
    status.timeline.state = State::kUnavailable;
  }
  return status;
}

bool Session::counters_complete() const noexcept {
  if (impl_ == nullptr) return false;
  return impl_->capture != nullptr ? impl_->capture->counters_complete() : impl_->were_complete;
}

bool Session::counters_pending() const noexcept {
  return impl_ != nullptr && impl_->capture != nullptr && impl_->capture->counters_pending();
}

bool Session::Synchronize() noexcept {
  if (impl_ == nullptr || impl_->capture == nullptr) return false;
  try {
    return impl_->capture->Synchronize(kSyncTimeout);
  } catch (const std::exception&) {
    return false;
  }
}

bool Session::Pause() noexcept {
  if (impl_ == nullptr || impl_->capture == nullptr) return false;
  try {
    return impl_->capture->Pause(kPauseTimeout);
  } catch (const std::exception&) {
    return false;
  }
}

bool Session::Resume() noexcept {
  if (impl_ == nullptr || impl_->capture == nullptr) return false;
  try {
    return impl_->capture->Resume(kSyncTimeout);
  } catch (const std::exception&) {
    return false;
  }
}

bool Session::Step() noexcept {
  if (impl_ == nullptr || impl_->capture == nullptr) return false;
  try {
    return impl_->capture->Step();
  } catch (const std::exception&) {
    return false;
  }
}

bool Session::Dump(const std::string& path) noexcept {
  if (impl_ == nullptr || impl_->capture == nullptr) return false;
  try {
    return impl_->capture->Dump(path, kDumpTimeout);
  } catch (const std::exception&) {
    return false;
  }
}

Snapshot Session::Stop() noexcept {
  if (impl_ == nullptr) return {};
  capture::Capture* const recording = impl_->capture.get();
  if (recording == nullptr) return impl_->snapshot;
  try {
    const bool were_complete = recording->counters_complete();
    Snapshot snapshot = recording->Stop(kStopTimeout);
    // While the program exits, another thread may be here as well, and nothing is freed any more.
    if (capture::Exiting()) return snapshot;
    impl_->snapshot = std::move(snapshot);
    impl_->last_status = recording->status();
    impl_->were_complete = were_complete;
  } catch (const std::exception&) {
    if (capture::Exiting()) return {};
  }
  impl_->capture.reset();
  return impl_->snapshot;
}

}  // namespace prof
