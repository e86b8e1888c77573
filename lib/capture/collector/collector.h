// SPDX-License-Identifier: Apache-2.0
//
// The one thread of a capture: takes records, ranges and samples from their sources, encodes them,
// writes blocks. Everything slow happens here.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_H_
#define PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/collector/kept_blocks.h"
#include "lib/capture/collector/output.h"
#include "lib/capture/events/events.h"
#include "lib/capture/process/lock_within.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/wire/encoder.h"
#include "prof/session.h"

namespace prof::capture {

struct CollectorOptions {
  std::string output_path;  // expanded; empty: memory
  HeaderEvent header;       // without versions: the source knows them once it has started
  bool ranges = true;
  int keep_last_seconds = 0, keep_mib = 0, dump_signal = 0;  // as in SessionOptions
  bool file_only_with_gpu_work = false;
};

class Collector {
 public:
  // `source` outlives the collector.
  Collector(CollectorOptions options, GpuSource* source);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // What threads of the program write from now on is of this recording. Before the source starts,
  // whose callbacks write as well.
  void Prepare();
  // Once the source has started.
  void Start();

  // Any thread: a notice for the snapshot.
  void Notify(NoticeEvent notice);

  // Any thread: the GPU has done what was submitted before the call. False after `timeout`.
  bool Synchronize(std::chrono::milliseconds timeout);

  // Any thread: writes what is kept to `path`. False after `timeout`, when it could not be written,
  // and when nothing is kept.
  bool Dump(const std::string& path, std::chrono::milliseconds timeout);

  // Ends the thread: synchronizes, takes the last records, writes the trailer. What is not
  // done by the deadline is left behind with its thread, to end by itself, and the result is false.
  bool Stop(Deadline deadline);

  // After Stop.
  std::string TakeBytes() { return output_.TakeBytes(); }
  Integrity integrity() const { return integrity_; }
  // What worked, as the thread last saw it; without `output`.
  const Status& status() const { return status_; }

  SubsystemStatus output_status() const;
  const std::string& output_path() const { return output_.path(); }
  bool wrote_anything() const { return wrote_; }

 private:
  static void Wake();  // async-signal-safe once a collector has started
  void Run();
  void RunRounds();
  void GiveUp(const char* why);
  void Round(bool flush);
  void StopKeeping();
  void Finish();
  void AnswerDumps();
  bool WriteDump(const std::string& path);
  void WriteHeaderOnce();
  void WriteNotices();
  const Status& LookAtStatus();
  void WriteProblems();  // those that are not written yet
  void DrainThreads();
  void CheckOutput();
  Integrity CountLosses() const;

  const CollectorOptions options_;
  GpuSource* const source_;
  Output output_;
  std::optional<KeptBlocks> kept_;
  bool keeping_ = kept_.has_value();  // until the end begins
  Encoder encoder_;
  ThreadReader ranges_;
  uint32_t names_read_ = 0;
  Integrity integrity_;
  Status status_;  // the thread that stops
  Status told_;
  ClockPair first_clock_;
  bool clock_stepped_ = false;
  bool incomplete_ = false;
  bool header_written_ = false;
  bool wrote_ = false;

  mutable std::mutex mutex_;  // of everything below; never held across a call to the source
  std::condition_variable done_;
  std::vector<NoticeEvent> notices_;
  uint64_t sync_wanted_ = 0;
  uint64_t sync_done_ = 0;
  bool sync_ok_ = false;
  std::string dump_path_;
  uint64_t dump_wanted_ = 0;
  uint64_t dump_done_ = 0;
  bool dump_ok_ = false;
  bool stopping_ = false;
  bool finished_ = false;
  SubsystemStatus output_status_;
  Status seen_;  // at the last flush, and before the end waits for the GPU

  std::thread thread_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_H_
