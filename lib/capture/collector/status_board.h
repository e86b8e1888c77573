// SPDX-License-Identifier: Apache-2.0
//
// The status board shows what the collector last saw of the sources and of the output.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_STATUS_BOARD_H_
#define PROF_LIB_CAPTURE_COLLECTOR_STATUS_BOARD_H_

#include <vector>

#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"
#include "prof/session.h"

namespace prof::capture {

// The status of the sources now, without the output's. `ranges`: whether they were asked for.
[[nodiscard]] Status SourcesStatus(const GpuSource& source, bool ranges);

// Prints what did not work at all, for the user of a program that does not ask for the status. No
// lock of the C library: the thread that ends the process may hold it.
void PrintProblems(const Status& status);

class StatusBoard {
 public:
  // `source` outlives the board.
  StatusBoard(const GpuSource* source, bool ranges) : source_(source), ranges_(ranges) {}

  // Any thread. A lock that is not free within a second gives an empty status: a handler of a
  // signal may ask, on the thread that holds it.
  [[nodiscard]] Status status() const;

  // Any thread: a notice for the snapshot. There is room for 256 between two rounds.
  void AddNotice(NoticeEvent notice);

  // --- The collector's thread ---

  [[nodiscard]] std::vector<NoticeEvent> TakeNotices();
  // Reads the status of the sources, keeps it and returns it.
  Status Update();
  // Updates, and returns notices of what does not work and was not returned before.
  [[nodiscard]] std::vector<NoticeEvent> NewProblems();
  // The output does not work any more, or goes elsewhere. False when it did not work before.
  [[nodiscard]] bool ReportOutput(const SubsystemStatus& problem);

 private:
  const GpuSource* const source_;
  const bool ranges_;
  Status reported_;  // in NewProblems

  mutable Mutex mutex_;  // never held across a call to the source
  Status status_ PROF_GUARDED_BY(mutex_);
  std::vector<NoticeEvent> notices_ PROF_GUARDED_BY(mutex_);
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_STATUS_BOARD_H_
