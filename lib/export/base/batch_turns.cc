// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/batch_turns.h"

#include <chrono>
#include <ostream>

namespace prof::exporting {

void BatchTurns::Write(size_t lane, std::string_view batch) {
  std::unique_lock<std::mutex> lock(mutex_);
  // wait() would need a newer libstdc++.
  while (!passed_.wait_for(lock, std::chrono::hours(1), [&] { return turn_ == lane; })) {
  }
  out_->write(batch.data(), static_cast<std::streamsize>(batch.size()));
  Pass();
}

void BatchTurns::Finish(size_t lane) {
  const std::lock_guard<std::mutex> lock(mutex_);
  finished_[lane] = true;
  if (turn_ == lane) Pass();
}

void BatchTurns::Pass() {
  for (size_t step = 0; step < finished_.size(); ++step) {
    turn_ = (turn_ + 1) % finished_.size();
    if (!finished_[turn_]) break;
  }
  passed_.notify_all();
}

}  // namespace prof::exporting
