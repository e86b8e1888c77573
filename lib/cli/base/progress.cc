// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/progress.h"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <system_error>
#include <utility>

namespace prof::cli {
namespace {

constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {  // without a thread there is no line
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  over_changed_.notify_one();
  thread_.join();
}

void Progress::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  int seconds = 0;
  while (!over_changed_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) {
    std::cerr << kEraseLine << "prof: " << what_ << ", " << ++seconds << " s" << std::flush;
  }
  if (seconds > 0) std::cerr << kEraseLine << std::flush;
}

}  // namespace prof::cli
