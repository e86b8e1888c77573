// SPDX-License-Identifier: Apache-2.0
//
// The collector is the one thread of a capture. It runs the rounds of the snapshot writer, and does
// what other threads ask for between them.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_H_
#define PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "lib/capture/collector/collector_options.h"
#include "lib/capture/collector/dump_requests.h"
#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/collector/gpu_wait.h"
#include "lib/capture/collector/request.h"
#include "lib/capture/collector/snapshot_writer.h"
#include "lib/capture/collector/status_board.h"
#include "lib/capture/collector/torch_source.h"
#include "lib/capture/collector/trigger_service.h"
#include "lib/capture/collector/window_service.h"
#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"
#include "prof/session.h"

namespace prof::capture {

class Collector {
 public:
  // `source` outlives the collector.
  Collector(CollectorOptions options, GpuSource* source, const SessionOptions& session = {});
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // From now on the program's threads write into this recording. Before the source starts, whose
  // callbacks write as well.
  void Prepare();
  // Once the source has started. Throws std::system_error when the system has no thread to give.
  void Start();

  // Any thread: a notice for the snapshot.
  void Notify(NoticeEvent notice) { status_.AddNotice(std::move(notice)); }

  // Any thread: the GPU has done what was submitted before the call. False after `timeout`.
  [[nodiscard]] bool Synchronize(std::chrono::milliseconds timeout);

  // Any thread: records nothing until Resume. False when it already was so, when a launch does not
  // return, and after `timeout`.
  [[nodiscard]] bool Pause(std::chrono::milliseconds timeout);
  [[nodiscard]] bool Resume(std::chrono::milliseconds timeout);

  // One thread at a time: as Session::Step().
  [[nodiscard]] bool Step() { return windows_.control().Step(); }

  // Any thread: the recording is paused, by hand or outside of its windows.
  [[nodiscard]] bool paused() const { return windows_.paused(); }

  // Any thread: writes what is kept to `path`. False after `timeout`, when it could not be written,
  // and when nothing is kept.
  [[nodiscard]] bool Dump(const std::string& path, std::chrono::milliseconds timeout);

  // Ends the thread: waits for the GPU (half of the time until the deadline, at most 10 s), takes
  // the last records, writes the trailer. What is not done by the deadline is left behind with its
  // thread, to end by itself, and the result is false.
  [[nodiscard]] bool Stop(Deadline deadline);

  // After a Stop that was in time.
  [[nodiscard]] std::string TakeBytes() { return writer_.TakeBytes(); }
  [[nodiscard]] Integrity integrity() const { return writer_.integrity(); }

  // Any thread: what worked, as the collector's thread last saw it.
  [[nodiscard]] Status status() const { return status_.status(); }
  // Any thread: the file; until it is created, the one that is wanted. Empty: memory.
  [[nodiscard]] std::string output_path() const { return writer_.output_path(); }

 private:
  static void Wake();  // async-signal-safe once a collector was prepared
  void Run();
  void RunRounds();
  [[nodiscard]] bool stopping();
  void ServeSynchronize();
  void ServePauses();
  void LookForTorch();
  [[nodiscard]] bool AwaitGpu();
  [[nodiscard]] Deadline GpuDeadline();
  [[nodiscard]] std::optional<bool> TakeAnswer(Deadline* deadline);

  const CollectorOptions options_;
  GpuSource* const source_;
  StatusBoard status_;
  SnapshotWriter writer_;  // used by the collector's thread
  Request synchronize_, pause_, resume_;
  GpuWait wait_;              // the collector's thread
  uint64_t wait_ticket_ = 0;  // of `synchronize_`
  DumpRequests dumps_;
  WindowService windows_;
  TriggerService triggers_;
  const TorchSource* torch_ = nullptr;  // ops are wanted

  Mutex mutex_;
  std::condition_variable done_;
  bool stopping_ PROF_GUARDED_BY(mutex_) = false;
  bool finished_ PROF_GUARDED_BY(mutex_) = false;
  Deadline stop_deadline_ PROF_GUARDED_BY(mutex_);

  std::thread thread_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_H_
