// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/snapshot_writer.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "lib/capture/process/complain.h"
#include "lib/capture/threads/thread_registry.h"

namespace prof::capture {
namespace {

constexpr size_t kMaxRowsBeforeGpuWork = 1 << 18;  // a host that only names ranges: bounded memory
constexpr int64_t kClockStepNs = 1'000'000;  // REALTIME against MONOTONIC; NTP slews stay far below

std::optional<KeptBlocks> MakeKept(const CollectorOptions& options) {
  if (options.keep_last_seconds == 0) return std::nullopt;
  return KeptBlocks(int64_t{options.keep_last_seconds} * 1'000'000'000,
                    size_t{static_cast<unsigned>(options.keep_mib)} << 20);
}

}  // namespace

SnapshotWriter::SnapshotWriter(const CollectorOptions* options, GpuSource* source,
                               StatusBoard* status)
    : options_(*options),
      source_(source),
      status_(status),
      file_(options_.output),
      kept_(MakeKept(options_)),
      encoder_(kept_ ? &*kept_ : Destination()),
      sampler_(options_.host_samples > 0
                   ? std::make_unique<HostSampler>(options_.host_samples, stacks_.source())
                   : nullptr) {}

BlockSink* SnapshotWriter::Destination() {
  if (options_.output.path.empty()) return &memory_;
  return &file_;
}

EventSink& SnapshotWriter::Events() {
  if (warming_up_) return warm_up_;
  if (options_.dump_idle_percent > 0) return idle_;
  return encoder_;
}

void SnapshotWriter::Prepare() {
  first_clock_ = ReadClockPair();
  ranges_.Start(RealtimeNs(), options_.ranges);
  stacks_.Start();
}

void SnapshotWriter::StartSampling() {
  if (!sampler_ || sampler_->Start()) return;
  encoder_.Add(
      NoticeEvent{Severity::kWarning, Subsystem::kTimeline, 0,
                  "the program's threads are not sampled: the system has no thread to give",
                  "raise the limit of threads (ulimit -u, or pids.max of the container)"});
}

void SnapshotWriter::Round(bool flush) {
  if (flush) status_->Update();
  source_->Gather(flush);
  WriteHeaderOnce();
  if (options_.ranges) {
    names_read_ = thread_registry.names.Read(
        names_read_, [this](const NameEvent& event) { encoder_.Add(event); });
  }
  DrainThreads();
  stacks_.Write();  // those of the nodes that were gathered are there
  WriteHostSamples();
  source_->Encode(Events());
  WriteNotices();
  if (flush) CheckClock();
  CheckOutput();
}

void SnapshotWriter::DrainThreads() {
  ThreadReader::Sink sink;
  sink.path = [this](const RangePathInfo& path) { encoder_.Add(path); };
  sink.shapes = [this](const TorchShapesInfo& shapes) { encoder_.Add(shapes); };
  sink.step = [this](uint32_t tid, const RangeEvent& event) {
    encoder_.Add(tid, event);
    encoder_.WriteIfLarge();  // all rings together hold more than a block may
  };
  sink.span = [this](const SpanEvent& event) { encoder_.Add(event); };
  sink.mark = [this](const MarkEvent& event) { encoder_.Add(event); };
  sink.payload = [this](const PayloadEvent& event) { encoder_.Add(event); };
  sink.number = [this](const NumberEvent& event) { encoder_.Add(event); };
  sink.call = [this](const CallEvent& event) {
    stacks_.WriteUpTo(event.stack);
    source_->Encode(event, Events());
    encoder_.WriteIfLarge();
  };
  sink.tensor = [this](const TensorEvent& event) {
    stacks_.WriteUpTo(event.stack);
    encoder_.Add(event);
    encoder_.WriteIfLarge();
  };
  ranges_.Drain(sink);
}

void SnapshotWriter::WriteHostSamples() {
  if (!sampler_) return;
  for (const HostSampleEvent& sample : sampler_->Take()) {
    stacks_.WriteUpTo(sample.stack);
    encoder_.Add(sample);
    encoder_.WriteIfLarge();
  }
}

void SnapshotWriter::WriteHeaderOnce() {
  if (header_written_) return;
  // A file appears with the first GPU work only. Nothing may be written before the header, and
  // everything encoded until then stays in the first block.
  if (options_.file_only_with_gpu_work && !source_->saw_gpu_work() &&
      encoder_.pending_rows() < kMaxRowsBeforeGpuWork) {
    return;
  }
  header_written_ = true;
  HeaderEvent header = options_.header;
  header.versions = source_->versions();
  encoder_.Add(header);
  encoder_.Add(first_clock_);
}

void SnapshotWriter::WriteNotices() {
  for (const NoticeEvent& notice : status_->TakeNotices()) encoder_.Add(notice);
  stacks_.WriteProblem();
}

void SnapshotWriter::WriteProblems() {
  for (const NoticeEvent& problem : status_->NewProblems()) encoder_.Add(problem);
}

// In the last block, because the count is complete then.
void SnapshotWriter::WriteTimesMoved() {
  const uint64_t ends = ranges_.ends_moved();
  if (ends == 0) return;
  encoder_.Add(NoticeEvent{Severity::kInfo, Subsystem::kRanges, 0,
                           std::to_string(ends) +
                               " ranges or calls ended before they began by the counters of their "
                               "threads, and were given no length",
                           ""});
}

void SnapshotWriter::CheckClock() {
  const ClockPair clock = ReadClockPair();
  const int64_t drift = (clock.realtime_ns - first_clock_.realtime_ns) -
                        (clock.monotonic_ns - first_clock_.monotonic_ns);
  if (drift > kClockStepNs || drift < -kClockStepNs) clock_stepped_ = true;
  if (header_written_) encoder_.Add(clock);  // not for hours before the first GPU work
}

void SnapshotWriter::CheckOutput() {
  if (file_.error().empty()) return;
  const bool first =
      status_->ReportOutput({State::kUnavailable, file_.error_code(), file_.error(),
                             "give a path in a folder that can be written and has room"});
  // Without the board's lock: stderr may be a pipe that nobody reads.
  if (first) Complain("prof: %s; recording stops\n", file_.error().c_str());
}

// Before the block that may be the last: it has the notice about the file's name.
void SnapshotWriter::OpenOutput() {
  if (keeping_ || options_.output.path.empty() || output_opened_) return;
  output_opened_ = true;
  file_.Open();
  CheckOutput();
  if (file_.why_other().empty()) return;
  const char* fix = "give each process a name of its own: %i or %p in the output";
  encoder_.Add(NoticeEvent{Severity::kInfo, Subsystem::kOutput, 0, file_.why_other(), fix});
  (void)status_->ReportOutput({State::kDegraded, 0, file_.why_other(), fix});
  if (file_.other_is_expected()) return;
  Complain("prof: %s\n", file_.why_other().c_str());
}

void SnapshotWriter::WriteBlock() {
  if (!header_written_) return;
  OpenOutput();
  encoder_.WriteBlock(CountLosses());
}

void SnapshotWriter::DropOldBlocks(int64_t now_ns) {
  if (keeping_) kept_->Expire(now_ns);
}

std::string SnapshotWriter::WriteDump(const std::string& path) {
  if (!keeping_) return {};
  Round(true);
  if (!header_written_) return {};  // nothing has happened that is worth a file
  encoder_.WriteBlock(CountLosses());
  kept_->Expire(MonotonicNs());
  OutputName name = options_.output;
  name.path = path;
  FileOutput dump(std::move(name));
  kept_->WriteTo(&dump, CountLosses(), RealtimeNs());
  if (!dump.why_other().empty()) Complain("prof: %s\n", dump.why_other().c_str());
  if (dump.error().empty()) return dump.path();
  Complain("prof: %s; recording goes on\n", dump.error().c_str());
  return {};
}

Integrity SnapshotWriter::CountLosses() const {
  Integrity integrity;
  encoder_.AddCounts(integrity);
  source_->AddLosses(integrity);
  integrity.calls_dropped += ranges_.calls_dropped();
  integrity.host_stacks_dropped += stacks_.dropped();
  if (sampler_) integrity.host_samples_missed += sampler_->missed();
  if (options_.ranges) {
    integrity.range_events_dropped += ranges_.events_dropped();
    integrity.range_paths_dropped += ranges_.paths_dropped();
    integrity.range_names_dropped += ranges_.names_dropped();
    integrity.range_ends_unmatched += ranges_.unbalanced_pops();
    integrity.ranges_left_open += ranges_.left_open();
    integrity.payloads_not_read += ranges_.payloads_not_read();
    integrity.torch_shapes_dropped += ranges_.torch_shapes_dropped();
    integrity.tensors_dropped += ranges_.tensors_dropped();
    integrity.names_dropped += thread_registry.names.dropped();
  }
  integrity.bytes_not_written = file_.bytes_not_written();
  integrity.rows_not_kept = kept_ ? kept_->rows_dropped() : 0;
  integrity.clock_stepped = clock_stepped_;
  integrity.incomplete = incomplete_;
  return integrity;
}

// From here on blocks go to the file as they end, as in a recording that keeps all.
void SnapshotWriter::StopKeeping() {
  if (!keeping_ || !header_written_) return;
  encoder_.WriteBlock(CountLosses());
  kept_->Expire(MonotonicNs());
  kept_->MoveTo(Destination());
  encoder_.SetSink(Destination());
  keeping_ = false;
}

// In the file at once: the program may be killed before it resumes.
bool SnapshotWriter::Pause() {
  if (warming_up_) return EndWarmUp();
  if (paused_ns_) return false;
  Round(true);
  const int64_t begin_ns = RealtimeNs();
  if (!source_->Pause()) return false;
  paused_ns_ = begin_ns;
  if (sampler_) sampler_->Pause();
  ranges_.Pause();
  Round(true);
  AddPause(begin_ns);
  return true;
}

bool SnapshotWriter::Resume() {
  if (!paused_ns_) return false;
  Round(true);  // nothing of what was left over is of the time to come
  if (!std::exchange(warming_up_, false)) source_->Resume();
  const int64_t end_ns = RealtimeNs();
  ranges_.Resume(end_ns);
  if (sampler_) sampler_->Resume();
  AddPause(end_ns);
  paused_ns_.reset();
  return true;
}

bool SnapshotWriter::WarmUp() {
  if (phase() != Phase::kPaused) return false;
  Round(true);
  source_->Resume();
  warming_up_ = true;
  return true;
}

// The pause goes on.
bool SnapshotWriter::EndWarmUp() {
  if (!source_->Pause()) return false;
  Round(true);
  warming_up_ = false;
  return true;
}

void SnapshotWriter::AddPause(int64_t end_ns) {
  encoder_.Add(ProfilerIntervalEvent{ProfilerWork::kPause, 0, *paused_ns_, end_ns});
}

void SnapshotWriter::Finish(const std::function<bool()>& await_gpu) {
  // All that is here goes to the file before what waits for the GPU, which may never be done.
  StopKeeping();
  WriteProblems();
  if (encoder_.has_events()) WriteBlock();
  source_->StopCounters();
  if (!await_gpu()) incomplete_ = true;
  if (sampler_) sampler_->Stop();
  Round(true);
  source_->Stop();
  ranges_.Stop();
  stacks_.Stop();
  if (paused_ns_) AddPause(RealtimeNs());
  Round(false);
  WriteProblems();
  WriteTimesMoved();
  StopKeeping();
  if (header_written_) OpenOutput();
  integrity_ = CountLosses();
  if (header_written_) encoder_.WriteLastBlock(integrity_, RealtimeNs());
  file_.Close();
  integrity_.bytes_not_written = file_.bytes_not_written();
  CheckOutput();
  source_->Leave();
}

void SnapshotWriter::GiveUp(const char* why) {
  incomplete_ = true;
  Complain("prof: the recording ends here: %s\n", why);
}

void SnapshotWriter::Abandon() {
  if (sampler_) sampler_->Stop();
  source_->Stop();
  ranges_.Stop();
  stacks_.Stop();
  file_.Close();
  integrity_.incomplete = true;
}

}  // namespace prof::capture
