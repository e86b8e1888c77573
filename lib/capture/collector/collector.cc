// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/collector.h"

#include <semaphore.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/process/end_request.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/process/timed_wait.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::capture {
namespace {

constexpr int64_t kRoundNs = 20'000'000;     // how long a full buffer may wait
constexpr int64_t kFlushNs = 200'000'000;    // how long a record may wait in another buffer
constexpr int64_t kBlockNs = 1'000'000'000;  // how much a SIGKILL may lose
constexpr std::chrono::milliseconds kDestroyTimeout(2000);
constexpr std::chrono::milliseconds kGpuTimeout(10'000);

// All collectors share it; one of them is active. It is never destroyed: a thread of the program
// may be about to post it when the recording has ended.
sem_t* WakeUp() {
  static sem_t* const wake = [] {
    auto* made = new sem_t;
    sem_init(made, 0, 0);
    return made;
  }();
  return wake;
}

// Half of what is left is for the rest of the end.
Deadline HalfUntil(Deadline deadline) {
  const auto now = std::chrono::steady_clock::now();
  return now + std::max(deadline - now, Deadline::duration(0)) / 2;
}

}  // namespace

Collector::Collector(CollectorOptions options, GpuSource* source, const SessionOptions& session)
    : options_(std::move(options)),
      source_(source),
      status_(source, options_.ranges),
      writer_(&options_, source, &status_),
      synchronize_(&Wake),
      pause_(&Wake),
      resume_(&Wake),
      wait_(&Wake),
      dumps_(options_.dump_signal, options_.output.path, &Wake),
      windows_(session, source, &writer_, &status_, &Wake),
      triggers_(session, &writer_, &dumps_, &status_) {}

void Collector::Wake() { sem_post(WakeUp()); }

Collector::~Collector() {
  if (thread_.joinable()) {
    (void)Stop(std::chrono::steady_clock::now() + kDestroyTimeout);
  } else {
    CloseEndRequests();  // the system had no thread to give
    writer_.StopRanges();
  }
}

void Collector::Prepare() {
  WakeUp();  // made here, so that posting it allocates nothing
  SetRangeWakeup(&Wake);
  writer_.Prepare();
}

void Collector::Start() {
  synchronize_.Open();
  pause_.Open();
  resume_.Open();
  dumps_.Open();
  windows_.control().Open();
  OpenEndRequests(&Wake);
  if (options_.torch) torch_ = GetTorchSource();
  if (torch_ != nullptr) torch_->begin(options_.torch_wish);
  thread_ = StartQuietThread("prof-collector", [this] { Run(); });
}

bool Collector::Synchronize(std::chrono::milliseconds timeout) {
  return synchronize_.Ask({}, timeout);
}

bool Collector::Pause(std::chrono::milliseconds timeout) { return pause_.Ask({}, timeout); }

bool Collector::Resume(std::chrono::milliseconds timeout) { return resume_.Ask({}, timeout); }

bool Collector::Dump(const std::string& path, std::chrono::milliseconds timeout) {
  return options_.keep_last_seconds != 0 && dumps_.Ask(path, timeout);
}

bool Collector::Stop(Deadline deadline) {
  if (!thread_.joinable()) return true;
  bool in_time = false;
  if (mutex_.LockBefore(deadline)) {
    const MutexLock lock(mutex_, std::adopt_lock);
    stopping_ = true;
    stop_deadline_ = deadline;
    Wake();
    while (!finished_ && std::chrono::steady_clock::now() < deadline) {
      mutex_.WaitBefore(done_, deadline);
    }
    in_time = finished_;
  }
  if (in_time) {
    thread_.join();
  } else {
    thread_.detach();  // it hangs in CUPTI or the driver: what was written so far stays valid
    writer_.EndSampling();
    (void)windows_.control().Close();
    CloseEndRequests();
    synchronize_.Close(deadline);  // nobody answers any more
    pause_.Close(deadline);
    resume_.Close(deadline);
    dumps_.Close(deadline);
  }
  return in_time;
}

void Collector::Run() {
  // An exception that leaves a thread ends the program.
  try {
    writer_.StartSampling();
    RunRounds();
  } catch (const std::exception& error) {
    writer_.GiveUp(error.what());
  }
  std::optional<NoticeEvent> notice = torch_ != nullptr ? torch_->end() : std::nullopt;
  try {
    if (notice) Notify(std::move(*notice));
    windows_.Close();
    writer_.Finish([this] { return AwaitGpu(); });
  } catch (const std::exception& error) {
    writer_.GiveUp(error.what());
    writer_.Abandon();
  }
  // Nobody else does it where the process ends by _exit().
  if (options_.header.injected && EndRequested()) PrintProblems(status_.status());
  CloseEndRequests();
  synchronize_.Close();
  pause_.Close();
  resume_.Close();
  dumps_.Close();
  const MutexLock lock(mutex_);
  finished_ = true;
  done_.notify_all();
}

bool Collector::stopping() {
  const MutexLock lock(mutex_);
  return stopping_;
}

// A wait that began earlier covers less than a later request asks for.
void Collector::ServeSynchronize() {
  if (const std::optional<bool> answer = wait_.Take()) {
    source_->Flush();
    synchronize_.Answer(wait_ticket_, *answer);
  }
  if (wait_.running()) return;
  const auto pending = synchronize_.Next();
  if (!pending) return;
  GpuWait::Work work = source_->WaitForGpu();
  if (!work) return synchronize_.Answer(pending->ticket, false);
  wait_ticket_ = pending->ticket;
  wait_.Start(std::move(work));
}

void Collector::ServePauses() {
  if (const auto pending = pause_.Next()) pause_.Answer(pending->ticket, windows_.Pause());
  if (const auto pending = resume_.Next()) resume_.Answer(pending->ticket, windows_.Resume());
}

Deadline Collector::GpuDeadline() {
  const Deadline most = std::chrono::steady_clock::now() + kGpuTimeout;
  const MutexLock lock(mutex_);
  return stopping_ ? std::min(most, HalfUntil(stop_deadline_)) : most;
}

// The answer of the wait that runs. An exit() that begins meanwhile makes the time shorter.
std::optional<bool> Collector::TakeAnswer(Deadline* deadline) {
  constexpr std::chrono::milliseconds kLook(50);
  bool exiting = Exiting(), ending = false;
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    if (const auto answer = wait_.TakeBefore(std::min(*deadline, now + kLook))) return answer;
    if (std::chrono::steady_clock::now() >= *deadline) return std::nullopt;
    if (!exiting && Exiting()) {
      exiting = true;
      *deadline = std::min(*deadline, HalfUntil(ExitDeadline()));
    }
    if (!ending && EndRequested()) {  // by _exit(), which does not wait for long
      ending = true;
      *deadline = std::min<Deadline>(*deadline, now + kEndTimeout / 2);
    }
  }
}

// At the end. False: the GPU is still at work, or has failed.
bool Collector::AwaitGpu() {
  const auto begin = std::chrono::steady_clock::now();
  Deadline deadline = GpuDeadline();
  std::optional<bool> answer = true;
  if (wait_.running()) answer = TakeAnswer(&deadline);  // it began too early
  if (answer) {
    GpuWait::Work work = source_->WaitForGpu();
    if (!work) return true;
    wait_.Start(std::move(work));
    answer = TakeAnswer(&deadline);
  }
  if (answer) return *answer;
  wait_.GiveUp();
  const auto waited =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  const std::string what = "the GPU did not finish its work within " +
                           std::to_string(waited.count()) +
                           " ms of the end: operations that had not ended are missing";
  Complain("prof: %s; the recording is incomplete\n", what.c_str());
  Notify({Severity::kWarning, Subsystem::kTimeline, 0, what,
          "end a kernel that waits for the host before the recording"});
  return false;
}

void Collector::LookForTorch() {
  if (torch_ == nullptr) return;
  if (std::optional<NoticeEvent> notice = torch_->look()) Notify(std::move(*notice));
}

void Collector::RunRounds() {
  int64_t last_flush = MonotonicNs();
  int64_t last_block = last_flush;
  while (true) {
    WaitUntil(WakeUp(), MonotonicNs() + kRoundNs);
    if (stopping() || EndRequested()) break;
    ServeSynchronize();
    ServePauses();
    const int64_t now = MonotonicNs();
    windows_.Serve(now);
    LookForTorch();
    const bool flush = now - last_flush >= kFlushNs;
    if (flush) last_flush = now;
    writer_.Round(flush);
    if (now - last_block >= kBlockNs && writer_.has_events()) {
      last_block = now;
      writer_.WriteBlock();
    }
    if (options_.keep_last_seconds == 0) continue;
    writer_.DropOldBlocks(now);
    triggers_.Serve(windows_.control().TakeSteps(), now, windows_.recording_since_ns(), flush);
    dumps_.Answer([this](const std::string& path) { return writer_.WriteDump(path); });
  }
}

}  // namespace prof::capture
