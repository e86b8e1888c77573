// SPDX-License-Identifier: Apache-2.0
//
// Threads that make batches for one file write them in turns, so that the file is the same each
// time.
#ifndef PROF_LIB_EXPORT_BASE_BATCH_TURNS_H_
#define PROF_LIB_EXPORT_BASE_BATCH_TURNS_H_

#include <condition_variable>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string_view>
#include <vector>

namespace prof::exporting {

// Any thread. Each lane is of one thread, and all of them end with Finish(): until then the others
// wait for it.
class BatchTurns {
 public:
  BatchTurns(std::ostream* out, size_t lanes) : out_(out), finished_(lanes) {}
  BatchTurns(const BatchTurns&) = delete;
  BatchTurns& operator=(const BatchTurns&) = delete;

  // Lane 0 begins, and each is followed by the next. Waits for the lane's turn.
  void Write(size_t lane, std::string_view batch);
  // The lane has no more batches. More than once is once.
  void Finish(size_t lane);

 private:
  // To the next lane that goes on, this one if there is no other.
  void Pass();

  std::ostream* out_;
  std::mutex mutex_;
  std::condition_variable passed_;
  std::vector<bool> finished_;  // by lane
  size_t turn_ = 0;             // a lane
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_BATCH_TURNS_H_
