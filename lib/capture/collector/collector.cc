// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/collector.h"

#include <semaphore.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "lib/capture/collector/dump_signal.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/process/timed_wait.h"
#include "lib/capture/threads/range_names.h"
#include "lib/capture/threads/range_owner.h"

namespace prof::capture {
namespace {

constexpr int64_t kRoundNs = 20'000'000;  // how long a full buffer may wait
constexpr int64_t kFlushNs =
    200'000'000;  // how long a record may wait in a buffer that is not full
constexpr int64_t kBlockNs = 1'000'000'000;        // how much a SIGKILL may lose
constexpr size_t kMaxRowsBeforeGpuWork = 1 << 18;  // a host that only names ranges: bounded memory
constexpr std::chrono::milliseconds kStatusTimeout(1000);
constexpr int64_t kClockStepNs = 1'000'000;  // REALTIME against MONOTONIC; NTP slews stay far below

// One for all collectors, of which one is active, and never destroyed: a thread of the program may
// be about to post it when the recording has ended.
sem_t* WakeUp() {
  static sem_t* const wake = [] {
    auto* made = new sem_t;
    sem_init(made, 0, 0);
    return made;
  }();
  return wake;
}

std::optional<KeptBlocks> Kept(const CollectorOptions& options) {
  if (options.keep_last_seconds == 0) return std::nullopt;
  return KeptBlocks(int64_t{options.keep_last_seconds} * 1'000'000'000,
                    size_t{static_cast<unsigned>(options.keep_mib)} << 20);
}

}  // namespace

Collector::Collector(CollectorOptions options, GpuSource* source)
    : options_(std::move(options)),
      source_(source),
      output_(options_.output_path),
      kept_(Kept(options_)),
      encoder_(&output_, kept_ ? &*kept_ : nullptr) {}

void Collector::Wake() { sem_post(WakeUp()); }

Collector::~Collector() {
  if (thread_.joinable()) {
    Stop(std::chrono::steady_clock::now() + std::chrono::milliseconds(2000));
  } else {
    ranges_.Stop();  // there was no thread to be had
  }
}

void Collector::Prepare() {
  first_clock_ = ReadClockPair();
  WakeUp();  // made here, so that posting it allocates nothing
  SetRangeWakeup(&Wake);
  ranges_.Start(RealtimeNs(), options_.ranges);
}

void Collector::Start() {
  if (options_.dump_signal != 0) {
    TakeDumpSignal();  // one that came late for the recording before
    const std::string problem = CatchDumpSignal(options_.dump_signal, &Wake);
    if (!problem.empty()) {
      std::fprintf(stderr, "prof: signal %d will not dump the recording: %s\n",
                   options_.dump_signal, problem.c_str());
    }
  }
  thread_ = StartQuietThread("prof-collector", [this] { Run(); });
}

void Collector::Notify(NoticeEvent notice) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (notices_.size() < 256) notices_.push_back(std::move(notice));
}

bool Collector::Synchronize(std::chrono::milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (finished_ || !thread_.joinable()) return false;
  const uint64_t ticket = ++sync_wanted_;
  Wake();
  return done_.wait_for(lock, timeout, [&] { return sync_done_ >= ticket || finished_; }) &&
         sync_done_ >= ticket && sync_ok_;
}

bool Collector::Stop(Deadline deadline) {
  if (!thread_.joinable()) return true;
  bool in_time = false;
  {
    std::unique_lock<std::mutex> lock = LockBefore(mutex_, deadline);
    if (lock.owns_lock()) {
      stopping_ = true;
      Wake();
      in_time = done_.wait_until(lock, deadline, [&] { return finished_; });
      status_ = seen_;
    }
  }
  if (in_time) {
    thread_.join();
  } else {
    thread_.detach();  // it hangs in CUPTI or the driver: what was written so far stays valid
  }
  return in_time;
}

void Collector::Run() {
  // An exception that leaves a thread ends the program.
  try {
    RunRounds();
  } catch (const std::exception& error) {
    GiveUp(error.what());
  }
  try {
    Finish();
  } catch (const std::exception& error) {
    GiveUp(error.what());
    source_->Stop();
    ranges_.Stop();
    output_.Close();
    integrity_.incomplete = true;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  finished_ = true;
  done_.notify_all();
}

void Collector::GiveUp(const char* why) {
  incomplete_ = true;
  std::fprintf(stderr, "prof: the recording ends here: %s\n", why);
}

void Collector::RunRounds() {
  int64_t last_flush = MonotonicNs();
  int64_t last_block = last_flush;
  while (true) {
    WaitUntil(WakeUp(), MonotonicNs() + kRoundNs);
    uint64_t sync_ticket = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_) break;
      if (sync_wanted_ > sync_done_) sync_ticket = sync_wanted_;
    }
    if (sync_ticket != 0) {
      const bool ok = source_->Synchronize();
      const std::lock_guard<std::mutex> lock(mutex_);
      sync_done_ = sync_ticket;
      sync_ok_ = ok;
      done_.notify_all();
    }
    const int64_t now = MonotonicNs();
    const bool flush = now - last_flush >= kFlushNs;
    if (flush) last_flush = now;
    Round(flush);
    if (now - last_block >= kBlockNs && encoder_.has_events()) {
      last_block = now;
      if (header_written_) encoder_.WriteBlock(CountLosses());
    }
    if (keeping_) {
      kept_->Expire(now);
      AnswerDumps();
    }
  }
}

void Collector::Round(bool flush) {
  if (flush) LookAtStatus();
  source_->Gather(flush);
  WriteHeaderOnce();
  if (options_.ranges) {
    names_read_ = ReadNames(names_read_, [this](const NameEvent& event) { encoder_.Add(event); });
  }
  DrainThreads();
  source_->Encode(encoder_);
  WriteNotices();
  if (flush) {
    const ClockPair clock = ReadClockPair();
    const int64_t drift = (clock.realtime_ns - first_clock_.realtime_ns) -
                          (clock.monotonic_ns - first_clock_.monotonic_ns);
    if (drift > kClockStepNs || drift < -kClockStepNs) clock_stepped_ = true;
    if (header_written_) encoder_.Add(clock);  // not for hours before the first GPU work
  }
  CheckOutput();
}

void Collector::DrainThreads() {
  ThreadReader::Sink sink;
  sink.path = [this](const RangePathInfo& path) { encoder_.Add(path); };
  sink.step = [this](uint32_t tid, const RangeEvent& event) {
    encoder_.Add(tid, event);
    encoder_.WriteIfLarge();  // all rings together hold more than a block may
  };
  sink.span = [this](const SpanEvent& event) { encoder_.Add(event); };
  sink.mark = [this](const MarkEvent& event) { encoder_.Add(event); };
  sink.payload = [this](const PayloadEvent& event) { encoder_.Add(event); };
  sink.call = [this](const CallEvent& event) {
    source_->Encode(event, encoder_);
    encoder_.WriteIfLarge();
  };
  ranges_.Drain(sink);
}

void Collector::CheckOutput() {
  if (output_.error().empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (output_status_.state == State::kUnavailable) return;
    output_status_ = {State::kUnavailable, output_.error_code(), output_.error(),
                      "give a path in a folder that can be written and has room"};
  }
  // Without the lock: stderr may be a pipe that nobody reads.
  std::fprintf(stderr, "prof: %s; recording stops\n", output_.error().c_str());
}

void Collector::WriteHeaderOnce() {
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

void Collector::WriteNotices() {
  std::vector<NoticeEvent> notices;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    notices.swap(notices_);
  }
  for (const NoticeEvent& notice : notices) encoder_.Add(notice);
}

const Status& Collector::LookAtStatus() {
  Status seen;
  seen.timeline = source_->timeline_status();
  seen.ranges = RangesStatus(options_.ranges);
  seen.counters = source_->counters_status();
  seen.continuous = source_->continuous_status();
  const std::lock_guard<std::mutex> lock(mutex_);
  seen_ = std::move(seen);
  return seen_;  // which this thread alone writes
}

void Collector::WriteProblems() {
  const Status& seen = LookAtStatus();
  for (const auto& [subsystem, part] : {std::pair{Subsystem::kTimeline, &Status::timeline},
                                        std::pair{Subsystem::kRanges, &Status::ranges},
                                        std::pair{Subsystem::kCounters, &Status::counters},
                                        std::pair{Subsystem::kCounters, &Status::continuous}}) {
    const SubsystemStatus& status = seen.*part;
    if (status.state != State::kUnavailable && status.state != State::kDegraded) continue;
    if (status.state == (told_.*part).state && status.what == (told_.*part).what) continue;
    const Severity severity =
        status.state == State::kUnavailable ? Severity::kError : Severity::kWarning;
    encoder_.Add(NoticeEvent{severity, subsystem, static_cast<uint32_t>(status.code), status.what,
                             status.fix});
  }
  told_ = seen;
}

Integrity Collector::CountLosses() const {
  Integrity integrity;
  encoder_.AddCounts(integrity);
  source_->AddLosses(integrity);
  integrity.calls_dropped += ranges_.calls_dropped();
  if (options_.ranges) {
    integrity.range_events_dropped += ranges_.events_dropped();
    integrity.range_paths_dropped += ranges_.paths_dropped();
    integrity.range_ends_unmatched += ranges_.unbalanced_pops();
    integrity.ranges_left_open += ranges_.left_open();
    integrity.payloads_not_read += ranges_.payloads_not_read();
    integrity.names_dropped += NamesDropped();
  }
  integrity.bytes_not_written = output_.bytes_not_written();
  integrity.rows_not_kept = kept_ ? kept_->rows_dropped() : 0;
  integrity.clock_stepped = clock_stepped_;
  integrity.incomplete = incomplete_;
  return integrity;
}

// From here on blocks go to the file as they end, as in a recording that keeps all.
void Collector::StopKeeping() {
  encoder_.WriteBlock(CountLosses());
  kept_->Expire(MonotonicNs());
  encoder_.GoOnAfter(kept_->MoveTo(&output_));
  keeping_ = false;
}

void Collector::Finish() {
  // All that is here goes to the file before what waits for the GPU, which may never be done.
  if (keeping_ && header_written_) StopKeeping();
  WriteProblems();
  if (header_written_ && encoder_.has_events()) encoder_.WriteBlock(CountLosses());
  source_->StopCounters();
  if (!source_->Synchronize()) incomplete_ = true;
  Round(true);
  source_->Stop();
  ranges_.Stop();
  Round(false);
  WriteProblems();
  if (keeping_ && header_written_) StopKeeping();
  integrity_ = CountLosses();
  if (header_written_) {
    encoder_.WriteLastBlock(integrity_, RealtimeNs());
    integrity_.bytes_not_written = output_.bytes_not_written();
    wrote_ = true;
  }
  output_.Close();
  CheckOutput();
}

SubsystemStatus Collector::output_status() const {
  const std::unique_lock<std::mutex> lock = LockWithin(mutex_, kStatusTimeout);
  return lock.owns_lock() ? output_status_ : SubsystemStatus{};
}

}  // namespace prof::capture
