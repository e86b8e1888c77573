// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/capture.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <utility>

#include "lib/capture/collector/output_path.h"
#include "lib/capture/control/control_requests.h"
#include "lib/capture/control/control_server.h"
#include "lib/capture/environment.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/process/end_request.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/process/process_info.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/options/option_checks.h"

namespace prof::capture {
namespace {

std::atomic<bool> active{false};

// Held while exit() stops the active capture: its owner, on another thread, must not destroy it
// under that. It has no destructor, and nobody waits for it without a deadline: a signal handler
// may call exit() on the thread that holds it.
Mutex active_mutex;
std::atomic<Capture*> active_capture{nullptr};

constexpr std::chrono::milliseconds kDestroyTimeout(2'000);
constexpr char kCorrect[] = "correct the value";
constexpr char kUnfinished[] = "the GPU did not answer when the recording ended";

// Makes `capture` the active one if `expected` is that now, or any when that is null. An exit()
// that takes longer than it may is not waited for.
void SetActive(Capture* capture, Capture* expected) {
  const auto set = [=] {
    Capture* present = expected != nullptr ? expected : active_capture.load();
    active_capture.compare_exchange_strong(present, capture);
  };
  if (!active_mutex.LockBefore(std::chrono::steady_clock::now() + 2 * kExitTimeout)) return set();
  const MutexLock lock(active_mutex, std::adopt_lock);
  set();
}

// In the child of a process that has used CUDA under prof.
SubsystemStatus InertAfterFork() {
  return {
      State::kUnavailable, 0,
      "this process was forked after prof had begun to record in its parent",
      "fork before the parent uses CUDA, or start the child with exec (multiprocessing: spawn)"};
}

void StopActiveCapture() {
  if (InForkedChild()) return;
  if (!active_mutex.LockBefore(ExitDeadline())) return;
  const MutexLock lock(active_mutex, std::adopt_lock);
  Capture* const capture = active_capture.load();
  if (capture == nullptr) return;
  try {
    capture->Stop(kExitTimeout);
  } catch (const std::exception&) {
    capture::Complain("prof: the recording could not be completed\n");
  }
}

// `injected`: nobody has chosen the name for this process alone.
OutputName NameOutput(const std::string& pattern, bool injected) {
  const int rank = RankFromEnvironment(), ranks = RanksFromEnvironment();
  const RunOfProf run = RunFromEnvironment();
  OutputName name;
  name.path = ExpandOutputPattern(pattern, rank, ranks);
  if (injected && rank >= 0 && ranks > 1 && !NamesRank(pattern)) {
    // Ranks of other machines may have come and gone before us.
    name.path = OtherOutputPath(name.path, ProcessLabel(rank, ranks), 0);
    name.replaces = false;
  } else if (NamesProcess(pattern)) {
    name.replaces = false;
  } else {
    name.process = ProcessLabel(rank, ranks);
  }
  name.run_start_ns = run.start_ns != 0 ? run.start_ns : ProcessStartNs();
  name.list = run.list;
  return name;
}

}  // namespace

std::unique_ptr<Capture> Capture::Start(SessionOptions options, bool injected,
                                        std::vector<std::string> complaints, SubsystemStatus* why) {
  if (InForkedChild()) {
    *why = InertAfterFork();
    return nullptr;
  }
  MakeForkedChildrenInert();
  if (active.exchange(true)) {
    *why = {State::kUnavailable, 0, "another recording is active in this process",
            "stop the other session first; under `prof run` the injected one records everything"};
    return nullptr;
  }
  std::unique_ptr<Capture> capture;
  try {
    GuardRangesAgainstFork();
    static std::once_flag guarded;
    std::call_once(guarded, [] {
      GuardExit();
      at_quick_exit(&EndRecordingNow);
    });
    SetExitAction(&StopActiveCapture);
    options::Correct(injected ? options::Naming::kVariable : options::Naming::kField, &options,
                     &complaints);
    capture.reset(new Capture(std::move(options), injected));
    static std::once_flag loaded;  // CUPTI is, by then
    std::call_once(loaded, &GuardExit);
  } catch (...) {
    active.store(false);
    throw;
  }
  SetActive(capture.get(), nullptr);
  capture->Complain(complaints);
  return capture;
}

Capture::Capture(SessionOptions options, bool injected)
    : options_(std::move(options)), injected_(injected) {
  source_ = MakeGpuSource();
  const int rank = RankFromEnvironment();
  CollectorOptions collector;
  if (!options_.output.empty()) {
    collector.output = NameOutput(options_.output, injected_);
  }
  collector.header.prof_version = PROF_VERSION;
  collector.header.host = HostName();
  collector.header.command = CommandLine();
  collector.header.start_ns = RealtimeNs();
  collector.header.pid = static_cast<uint32_t>(getpid());
  collector.header.rank = rank;
  collector.header.injected = injected;
  collector.ranges = options_.ranges;
  collector.python_stacks = options_.python_stacks;
  collector.native_stacks = options_.native_stacks;
  collector.host_samples = options_.host_samples;
  collector.torch = options_.ranges && options_.torch != Torch::kOff;
  collector.torch_wish = {options_.torch == Torch::kModules, options_.torch_shapes,
                          options_.torch_memory};
  collector.keep_last_seconds = options_.keep_last_seconds;
  collector.keep_mib = options_.keep_mib;
  collector.dump_signal = options_.dump_signal;
  collector.file_only_with_gpu_work = injected;
  collector.dump_idle_percent = options_.dump_idle_percent;
  collector_ = std::make_unique<Collector>(std::move(collector), source_.get(), options_);
  collector_->Prepare();
  source_->Start(options_, injected);
  collector_->Start();
}

void Capture::Complain(const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) {
    capture::Complain("prof: %s\n", complaint.c_str());
    collector_->Notify({Severity::kWarning, Subsystem::kOptions, 0, complaint, kCorrect});
    std::string& all = options_status_.what;
    all += (all.empty() ? "" : "; ") + complaint;
  }
  if (!complaints.empty()) {
    options_status_.state = State::kDegraded;
    options_status_.fix = kCorrect;
  }
}

Capture::~Capture() {
  if (InForkedChild()) {
    // Their threads are not in this process, so nobody would join them or release their locks.
    (void)collector_.release();
    (void)source_.release();
    return;
  }
  SetActive(nullptr, this);
  try {
    Stop(kDestroyTimeout);
  } catch (const std::exception&) {
    capture::Complain("prof: the recording could not be completed\n");
  }
}

// The collector's thread still uses the collector and the source: freeing them would crash the
// program, and another recording would share its rings. So this was the last recording of the
// process.
void Capture::Abandon(const Status& last) {
  const Collector& abandoned = *collector_.release();
  (void)source_.release();
  Integrity integrity;
  integrity.incomplete = true;
  snapshot_ = options_.output.empty() ? Snapshot::FromBytes({}, integrity)
                                      : Snapshot::FromFile(abandoned.output_path(), integrity);
  abandoned_status_ = last;
  abandoned_status_.options = options_status_;
  if (abandoned_status_.timeline.state != State::kUnavailable) {
    abandoned_status_.timeline = {State::kUnavailable, 0, kUnfinished, ""};
  }
}

Status Capture::status() const {
  if (InForkedChild()) {
    Status status;
    status.timeline = status.ranges = status.counters = status.continuous = status.output =
        InertAfterFork();
    return status;
  }
  if (source_ == nullptr) return abandoned_status_;
  Status status = SourcesStatus(*source_, options_.ranges);
  status.options = options_status_;
  if (unfinished_ && status.timeline.state == State::kWorking) {
    status.timeline = {State::kDegraded, 0, kUnfinished, ""};
  }
  status.output = collector_->status().output;
  if (status.output.state == State::kOff) {
    status.output.state = options_.output.empty() ? State::kOff : State::kWorking;
  }
  return status;
}

// Where nothing is recorded, nobody knows what the GPU does.
bool Capture::Synchronize(std::chrono::milliseconds timeout) {
  if (InForkedChild() || collector_ == nullptr) return false;
  return source_->timeline_status().state != State::kUnavailable &&
         collector_->Synchronize(timeout);
}

bool Capture::Pause(std::chrono::milliseconds timeout) {
  if (InForkedChild() || collector_ == nullptr) return false;
  if (source_->timeline_status().state != State::kUnavailable &&
      !collector_->Synchronize(timeout / 2)) {
    collector_->Notify({Severity::kWarning, Subsystem::kTimeline, 0,
                        "the GPU was at work when the recording was paused: operations that had "
                        "not ended may be missing",
                        ""});
  }
  return collector_->Pause(timeout / 2);
}

bool Capture::Resume(std::chrono::milliseconds timeout) {
  return !InForkedChild() && collector_ != nullptr && collector_->Resume(timeout);
}

bool Capture::Step() { return !InForkedChild() && collector_ != nullptr && collector_->Step(); }

bool Capture::Dump(const std::string& path, std::chrono::milliseconds timeout) {
  return !InForkedChild() && collector_ != nullptr &&
         collector_->Dump(NameOutput(path, /*injected=*/false).path, timeout);
}

// By the pointers: when a Stop is not in time both are left behind, and not freed.
std::string Capture::StartControl() {
  constexpr std::chrono::milliseconds kControlTimeout(5'000);
  Collector* const collector = collector_.get();
  const GpuSource* const source = source_.get();
  Controlled recording;
  recording.start = [=] { return collector->Resume(kControlTimeout); };
  recording.stop = [=] {
    (void)collector->Synchronize(kControlTimeout);
    return collector->Pause(kControlTimeout);
  };
  recording.end = [this] {
    if (ended_.load()) return Ended::kBefore;
    (void)Stop(std::chrono::seconds(10));
    return ended_.load() ? Ended::kNow : Ended::kNot;
  };
  recording.dump = [=](const std::string& path) { return collector->Dump(path, kControlTimeout); };
  recording.status = [=] { return collector->status(); };
  recording.paused = [=] { return collector->paused(); };
  recording.counters_complete = [=] { return source->counters_complete(); };
  recording.counters_pending = [=] { return source->counters_pending(); };
  recording.decided_share = [=] { return source->decided_share(); };
  recording.output = [=] { return collector->output_path(); };
  recording.keep_last_seconds = options_.keep_last_seconds;
  return StartControlServer(
      [recording](const std::string& request) { return AnswerControl(recording, request); });
}

Snapshot Capture::Stop(std::chrono::milliseconds timeout) {
  if (InForkedChild()) return snapshot_;
  const auto begin = std::chrono::steady_clock::now();
  const Deadline deadline = std::min(begin + timeout, ExitDeadline());
  if (!stop_mutex_.LockBefore(deadline)) {
    if (!reported_other_stop_.exchange(true)) {
      capture::Complain(
          "prof: the recording is still being stopped on another thread, and is left "
          "incomplete\n");
    }
    return {};
  }
  const MutexLock lock(stop_mutex_, std::adopt_lock);
  if (stopped_) return snapshot_;
  stopped_ = true;
  const bool in_time = collector_->Stop(deadline);
  if (!in_time) {
    const auto allowed = std::chrono::ceil<std::chrono::milliseconds>(deadline - begin);
    capture::Complain("prof: CUPTI did not answer within %lld ms; the recording is incomplete\n",
                      std::max(0LL, static_cast<long long>(allowed.count())));
  }
  const Status status = collector_->status();  // once: after a deadline it may take a second
  if (injected_ && !EndRequested()) PrintProblems(status);
  if (!in_time) {
    Abandon(status);
  } else {
    active.store(false);
    ended_.store(true);
    unfinished_ = collector_->integrity().incomplete;
    snapshot_ = options_.output.empty()
                    ? Snapshot::FromBytes(collector_->TakeBytes(), collector_->integrity())
                    : Snapshot::FromFile(collector_->output_path(), collector_->integrity());
  }
  return snapshot_;
}

}  // namespace prof::capture
