// SPDX-License-Identifier: Apache-2.0
//
// The trigger service writes dumps that nobody asked for: see DumpTrigger.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_TRIGGER_SERVICE_H_
#define PROF_LIB_CAPTURE_COLLECTOR_TRIGGER_SERVICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/capture/collector/dump_requests.h"
#include "lib/capture/collector/snapshot_writer.h"
#include "lib/capture/collector/status_board.h"
#include "lib/capture/windows/dump_trigger.h"
#include "lib/capture/windows/window_control.h"
#include "prof/session.h"

namespace prof::capture {

// The collector's thread.
class TriggerService {
 public:
  // All pointers outlive this.
  TriggerService(const SessionOptions& options, SnapshotWriter* writer, DumpRequests* dumps,
                 StatusBoard* status)
      : trigger_(options), writer_(*writer), dumps_(*dumps), status_(*status) {}

  // In each round. `now_ns` by CLOCK_MONOTONIC, `recording_since_ns` by CLOCK_REALTIME. `look`: the
  // sources were flushed, so idle time can be measured.
  void Serve(const std::vector<StepTime>& steps, int64_t now_ns, int64_t recording_since_ns,
             bool look);

 private:
  void Ask(std::string why, int64_t due_ns);
  [[nodiscard]] std::string WhyIdle(int64_t recording_since_ns);
  void WriteDump();

  DumpTrigger trigger_;
  SnapshotWriter& writer_;
  DumpRequests& dumps_;
  StatusBoard& status_;
  std::string why_;  // empty: nothing asks for a dump
  int64_t due_ns_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_TRIGGER_SERVICE_H_
