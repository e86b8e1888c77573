// SPDX-License-Identifier: Apache-2.0
//
// The snapshot writer takes events from all sources and writes them as the blocks of one snapshot,
// round by round. Everything slow happens here, on the collector's thread alone.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_SNAPSHOT_WRITER_H_
#define PROF_LIB_CAPTURE_COLLECTOR_SNAPSHOT_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lib/capture/collector/collector_options.h"
#include "lib/capture/collector/file_output.h"
#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/collector/host_stack_writer.h"
#include "lib/capture/collector/kept_blocks.h"
#include "lib/capture/collector/memory_output.h"
#include "lib/capture/collector/status_board.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/host_sampler.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/windows/forwarding_sink.h"
#include "lib/capture/windows/idle_meter.h"
#include "lib/capture/windows/window_plan.h"
#include "lib/capture/wire/encoder.h"
#include "prof/snapshot.h"

namespace prof::capture {

class SnapshotWriter {
 public:
  // All three outlive the writer.
  SnapshotWriter(const CollectorOptions* options, GpuSource* source, StatusBoard* status);
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // From now on the program's threads write into this recording. Before the collector's thread
  // starts, and before the source does, whose callbacks write as well.
  void Prepare();
  // From now on they do not. Any thread.
  void StopRanges() {
    ranges_.Stop();
    stacks_.Stop();
  }

  // The collector's thread, once: the program's threads are looked at from now on, where that is
  // wanted.
  void StartSampling();
  // Any thread: they are not, soon.
  void EndSampling() {
    if (sampler_) sampler_->RequestStop();
  }

  // Encodes what the sources have. `flush`: also what is in buffers that are not full.
  void Round(bool flush);
  [[nodiscard]] bool has_events() const { return encoder_.has_events(); }
  // Ends the block under construction, once there is a header.
  void WriteBlock();

  // Drops blocks that are older than what is kept, if not all of them are.
  void DropOldBlocks(int64_t now_ns);
  // Writes what is kept to a file of its own, and returns its path, which may be another one
  // (output_claim.h). Empty, with a line on stderr, when it cannot be written; empty when nothing
  // has happened yet.
  [[nodiscard]] std::string WriteDump(const std::string& path);

  // Records nothing between the two. Each is false when it is so already, and Pause when the
  // source cannot.
  [[nodiscard]] bool Pause();
  [[nodiscard]] bool Resume();
  // After Pause: the source records, and nothing of it is kept. False when it is not paused.
  [[nodiscard]] bool WarmUp();
  [[nodiscard]] Phase phase() const {
    return !paused_ns_ ? Phase::kRecording : warming_up_ ? Phase::kWarmUp : Phase::kPaused;
  }

  // See IdleMeter::IdlePercent. nullopt also without SessionOptions::dump_idle_percent.
  [[nodiscard]] std::optional<double> IdlePercent(int64_t begin_ns, int64_t end_ns) {
    return options_.dump_idle_percent > 0 ? idle_.IdlePercent(begin_ns, end_ns) : std::nullopt;
  }

  // Stops the sources and writes what they still have, and the trailer. `await_gpu` waits until the
  // GPU has done its work; false: it has not.
  void Finish(const std::function<bool()>& await_gpu);
  // Marks the recording incomplete, and prints why.
  void GiveUp(const char* why);
  // Stops the sources and closes the file without a trailer.
  void Abandon();

  // Any thread.
  [[nodiscard]] std::string output_path() const { return file_.path(); }

  // After Finish or Abandon.
  [[nodiscard]] std::string TakeBytes() { return memory_.TakeBytes(); }
  [[nodiscard]] Integrity integrity() const { return integrity_; }

 private:
  BlockSink* Destination();
  EventSink& Events();  // what the source's events go to now
  void WriteHeaderOnce();
  void DrainThreads();
  void WriteHostSamples();
  void WriteNotices();
  void WriteProblems();
  void WriteTimesMoved();
  void CheckClock();
  void OpenOutput();
  void CheckOutput();
  void AddPause(int64_t end_ns);
  [[nodiscard]] bool EndWarmUp();
  void StopKeeping();
  Integrity CountLosses() const;

  const CollectorOptions& options_;
  GpuSource* const source_;
  StatusBoard* const status_;
  FileOutput file_;      // used when there is a path
  MemoryOutput memory_;  // used when there is none
  std::optional<KeptBlocks> kept_;
  bool keeping_ = kept_.has_value();  // until the end begins
  Encoder encoder_;
  WarmUpSink warm_up_{&encoder_};
  IdleMeter idle_{&encoder_};
  ThreadReader ranges_;
  HostStackWriter stacks_{
      {options_.python_stacks, options_.native_stacks, options_.host_samples > 0}, &encoder_};
  const std::unique_ptr<HostSampler> sampler_;  // nullptr: not wanted
  uint32_t names_read_ = 0;
  ClockPair first_clock_;
  bool clock_stepped_ = false;
  bool header_written_ = false;
  bool output_opened_ = false;
  bool incomplete_ = false;
  std::optional<int64_t> paused_ns_;  // since when; nullopt: it is not paused
  bool warming_up_ = false;           // in a pause
  Integrity integrity_;               // at the end
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_SNAPSHOT_WRITER_H_
