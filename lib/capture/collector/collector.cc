// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/collector.h"

#include <semaphore.h>

#include <cstdint>
#include <exception>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/end_request.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/process/timed_wait.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::capture {
namespace {

constexpr int64_t kRoundNs = 20'000'000;     // how long a full buffer may wait
constexpr int64_t kFlushNs = 200'000'000;    // how long a record may wait in another buffer
constexpr int64_t kBlockNs = 1'000'000'000;  // how much a SIGKILL may lose
constexpr std::chrono::milliseconds kDestroyTimeout(2000);

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

}  // namespace

Collector::Collector(CollectorOptions options, GpuSource* source)
    : options_(std::move(options)),
      source_(source),
      status_(source, options_.ranges),
      writer_(&options_, source, &status_),
      synchronize_(&Wake),
      dumps_(options_.dump_signal, options_.output.path, &Wake) {}

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
  dumps_.Open();
  OpenEndRequests(&Wake);
  thread_ = StartQuietThread("prof-collector", [this] { Run(); });
}

bool Collector::Synchronize(std::chrono::milliseconds timeout) {
  return synchronize_.Ask({}, timeout);
}

bool Collector::Dump(const std::string& path, std::chrono::milliseconds timeout) {
  return options_.keep_last_seconds != 0 && dumps_.Ask(path, timeout);
}

bool Collector::Stop(Deadline deadline) {
  if (!thread_.joinable()) return true;
  bool in_time = false;
  if (mutex_.LockBefore(deadline)) {
    const MutexLock lock(mutex_, std::adopt_lock);
    stopping_ = true;
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
    CloseEndRequests();
    synchronize_.Close(deadline);  // nobody answers any more
    dumps_.Close(deadline);
  }
  return in_time;
}

void Collector::Run() {
  // An exception that leaves a thread ends the program.
  try {
    RunRounds();
  } catch (const std::exception& error) {
    writer_.GiveUp(error.what());
  }
  try {
    writer_.Finish();
  } catch (const std::exception& error) {
    writer_.GiveUp(error.what());
    writer_.Abandon();
  }
  CloseEndRequests();
  synchronize_.Close();
  dumps_.Close();
  const MutexLock lock(mutex_);
  finished_ = true;
  done_.notify_all();
}

bool Collector::stopping() {
  const MutexLock lock(mutex_);
  return stopping_;
}

void Collector::RunRounds() {
  int64_t last_flush = MonotonicNs();
  int64_t last_block = last_flush;
  while (true) {
    WaitUntil(WakeUp(), MonotonicNs() + kRoundNs);
    if (stopping() || EndRequested()) break;
    if (const auto pending = synchronize_.Next()) {
      synchronize_.Answer(pending->ticket, source_->Synchronize());
    }
    const int64_t now = MonotonicNs();
    const bool flush = now - last_flush >= kFlushNs;
    if (flush) last_flush = now;
    writer_.Round(flush);
    if (now - last_block >= kBlockNs && writer_.has_events()) {
      last_block = now;
      writer_.WriteBlock();
    }
    if (options_.keep_last_seconds == 0) continue;
    writer_.DropOldBlocks(now);
    dumps_.Answer([this](const std::string& path) { return writer_.WriteDump(path); });
  }
}

}  // namespace prof::capture
