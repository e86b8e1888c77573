// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/window_control.h"

#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::capture {
namespace {

// The callbacks of NVTX and CUPTI carry no user data.
std::atomic<WindowControl*> active{nullptr};
std::atomic<int> users{0};
std::atomic<uint64_t> controls{0};

// The active control, which nobody frees meanwhile; null: none.
class Use {
 public:
  Use() {
    if (InForkedChild()) return;
    users.fetch_add(1, std::memory_order_seq_cst);
    counted_ = true;
    control_ = active.load(std::memory_order_seq_cst);
  }
  ~Use() {
    if (counted_) users.fetch_sub(1, std::memory_order_release);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  WindowControl* control() const { return control_; }

 private:
  bool counted_ = false;
  WindowControl* control_ = nullptr;
};

// What the calling thread has open: tokens of ranges, 0: none. A range within one that matches is
// part of it.
struct OpenHere {
  uint64_t control = 0;  // its number
  uint32_t window = 0, step = 0;
  int64_t step_began_ns = 0;
};
thread_local OpenHere open_here;

OpenHere& OpenIn(uint64_t control) {
  if (open_here.control != control) open_here = OpenHere{control};
  return open_here;
}

std::string WhyClosed(const SessionOptions& options) {
  std::string why;
  const auto add = [&](bool set, const std::string& reason) {
    if (set) why += (why.empty() ? "" : ", or ") + reason;
  };
  add(options.profiler_api, "the program did not call cudaProfilerStart()");
  add(!options.window_ranges.empty(),
      "no NVTX range was pushed whose path matches '" + options.window_ranges + "'");
  add(options.step_active > 0,
      "too few steps ended: " + (options.step_ranges.empty()
                                     ? std::string("Session::Step() counts them")
                                     : "ranges that match '" + options.step_ranges + "'"));
  add(options.delay_seconds > 0, "the program ended before the delay did");
  add(RecordsShare(options), "the program ended before the first part of the time to record");
  return why;
}

Deadline WaitEnd() { return std::chrono::steady_clock::now() + kWindowWait; }

}  // namespace

WindowControl::WindowControl(const SessionOptions& options, void (*wake)())
    : wake_(wake),
      has_windows_(WindowPlan(options, 0).any()),
      has_steps_(options.step_active > 0 || options.dump_slow_step > 0 ||
                 options.dump_long_step_ms > 0),
      step_calls_(has_steps_ && options.step_ranges.empty()),
      times_steps_(options.dump_slow_step > 0 || options.dump_long_step_ms > 0),
      why_closed_(WhyClosed(options)),
      window_filter_(options.window_ranges),
      step_filter_(has_steps_ ? options.step_ranges : ""),
      number_(controls.fetch_add(1) + 1),
      plan_(options, MonotonicNs()),
      step_began_ns_(MonotonicNs()) {}

void WindowControl::Open() {
  {
    const MutexLock lock(mutex_);
    open_ = true;
  }
  active.store(this, std::memory_order_seq_cst);
  if (!window_filter_.empty() || !step_filter_.empty()) SetWindowListener(&OnRange);
}

bool WindowControl::Close() {
  if (InForkedChild()) return false;
  WindowControl* present = this;
  if (active.compare_exchange_strong(present, nullptr)) SetWindowListener(nullptr);
  const Deadline until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  if (mutex_.LockBefore(until)) {
    const MutexLock lock(mutex_, std::adopt_lock);
    open_ = false;
    reached_changed_.notify_all();
  }
  while (users.load(std::memory_order_acquire) != 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// NVTX and CUPTI, which call this, must see no exception: without memory a window is missed.
void WindowControl::OnProfilerApi(bool start) {
  const Use use;
  if (use.control() == nullptr) return;
  try {
    use.control()->HandleProfilerApi(start);
  } catch (const std::exception&) {
  }
}

void WindowControl::OnRange(uint32_t path, uint32_t token, bool entered) {
  const Use use;
  if (use.control() == nullptr) return;
  try {
    use.control()->HandleRange(path, token, entered);
  } catch (const std::exception&) {
  }
}

void WindowControl::HandleProfilerApi(bool start) {
  const Deadline deadline = WaitEnd();
  if (!mutex_.LockBefore(deadline)) return;
  const MutexLock lock(mutex_, std::adopt_lock);
  plan_.OnProfilerApi(start);
  Settle(deadline);
}

void WindowControl::HandleRange(uint32_t path, uint32_t token, bool entered) {
  OpenHere& here = OpenIn(number_);
  const bool window =
      entered ? here.window == 0 && !window_filter_.empty() && window_filter_.Matches(path)
              : here.window == token;
  const bool step = entered ? here.step == 0 && !step_filter_.empty() && step_filter_.Matches(path)
                            : here.step == token;
  if (!window && !step) return;
  if (window) here.window = entered ? token : 0;
  if (step) here.step = entered ? token : 0;
  const Deadline deadline = WaitEnd();
  if (!mutex_.LockBefore(deadline)) return;
  const MutexLock lock(mutex_, std::adopt_lock);
  const int64_t now_ns = MonotonicNs();
  if (window) plan_.OnWindow(entered);
  if (step && entered) plan_.OnStepBegin();
  if (step && !entered) {
    plan_.OnStepEnd();
    AddStep({path, now_ns - here.step_began_ns});
  }
  Settle(deadline);
  if (step && entered) here.step_began_ns = MonotonicNs();
}

bool WindowControl::Step() {
  const Deadline deadline = WaitEnd();
  if (!step_calls_ || !mutex_.LockBefore(deadline)) return false;
  const MutexLock lock(mutex_, std::adopt_lock);
  AddStep({0, MonotonicNs() - step_began_ns_});
  plan_.OnStepEnd();
  plan_.OnStepBegin();
  Settle(deadline);
  step_began_ns_ = MonotonicNs();
  return true;
}

void WindowControl::AddStep(StepTime step) {
  if (times_steps_ && steps_.size() < kMostSteps) steps_.push_back(step);
}

Phase WindowControl::WantedNow(int64_t now_ns) const {
  return held_ ? *held_ : has_windows_ ? plan_.PhaseAt(now_ns) : Phase::kRecording;
}

void WindowControl::Settle(Deadline deadline) {
  const auto changes = [this]() PROF_NOT_CHECKED { return WantedNow(MonotonicNs()) != reached_; };
  if (!changes()) return;
  wake_();
  while (open_ && changes() && WantedNow(MonotonicNs()) != Phase::kPaused &&
         std::chrono::steady_clock::now() < deadline) {
    mutex_.WaitBefore(reached_changed_, deadline);
  }
}

Phase WindowControl::Wanted(int64_t now_ns) {
  const MutexLock lock(mutex_);
  return WantedNow(now_ns);
}

bool WindowControl::Leave(int64_t now_ns) {
  const MutexLock lock(mutex_);
  if (WantedNow(now_ns) == reached_) return false;
  reached_.reset();
  return true;
}

bool WindowControl::Counts(int64_t now_ns) {
  const MutexLock lock(mutex_);
  return held_ ? *held_ == Phase::kRecording : plan_.CountsAt(now_ns);
}

void WindowControl::Reached(Phase phase, int64_t now_ns) {
  const MutexLock lock(mutex_);
  plan_.Reached(phase, now_ns);
  reached_ = phase;
  reached_changed_.notify_all();
}

void WindowControl::Hold(Phase phase) {
  const MutexLock lock(mutex_);
  held_ = reached_ = phase;
  reached_changed_.notify_all();
}

std::vector<StepTime> WindowControl::TakeSteps() {
  const MutexLock lock(mutex_);
  return std::exchange(steps_, {});
}

}  // namespace prof::capture
