// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/buffer_guard.h"

#include <utility>

#include "cupti_backend/torch_profiler.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/process/thread_id.h"

namespace prof::cupti {
namespace {

constexpr char kTaken[] =
    "CUPTI's records do not reach prof: most likely another profiler in this process has taken "
    "them (torch.profiler does); launches are missing until it ends";
constexpr char kWereTaken[] =
    "for some time another profiler in this process had CUPTI's records: launches are missing";
constexpr char kFix[] = "use one of the two at a time";

}  // namespace

// Before CUPTI 13 threads share buffers, and a long kernel would hold a probe back.
bool BufferGuard::CanProbe() const { return process_->api.version >= 130000; }

BufferWatch::Observation BufferGuard::ObserveNow() {
  LaunchCallback& callback = process_->callback;
  const LaunchCallback::TorchAnswers torch = callback.TakeTorchAnswers();
  BufferWatch::Observation seen;
  seen.now_ns = capture::MonotonicNs();
  seen.launches = callback.launches() - launches_before_;
  seen.buffers = process_->tracer.pool().exchanges();
  seen.answers = decoder_->probes();
  seen.recorded = decoder_->launches() + sampler_->launches_untraced();
  seen.torch_on = torch.on;
  seen.torch_off = torch.off;
  return seen;
}

// False: it could not be made.
bool BufferGuard::Probe() {
  decoder_->WatchProbesOf(capture::CurrentThreadId());
  return process_->tracer.RecordProbe([this] {
    int version = 0;
    process_->driver.driver_get_version(&version);
  });
}

void BufferGuard::ReportTaken() {
  process_->tracer.settings().LetCuptiZero();
  timeline_->Set({State::kDegraded, 0, kTaken, kFix});
  if (!std::exchange(reported_, true)) capture::Complain("prof: %s; %s\n", kTaken, kFix);
}

void BufferGuard::Check(const std::function<void()>& register_again) {
  if (!CanProbe()) return AskTorch(register_again);
  if (ending_ && decoder_->probes() == answers_before_end_) asked_before_end_ |= Probe();
  switch (watch_.Check(ObserveNow())) {
    case BufferWatch::Act::kNothing:
      return;
    case BufferWatch::Act::kProbe:
      if (!Probe()) watch_.ForgetProbe();
      return;
    case BufferWatch::Act::kReportTaken:
      process_->callback.CheckTorch(FindTorchProfiler());
      ReportTaken();
      return;
    case BufferWatch::Act::kRegisterAgain:
      register_again();
      return;
    case BufferWatch::Act::kReportBack:
      process_->callback.CheckTorch(nullptr);
      timeline_->Set({State::kDegraded, 0, kWereTaken, kFix});
      return;
  }
}

// PyTorch may be loaded at any time.
void BufferGuard::AskTorch(const std::function<void()>& register_again) {
  if (!torch_asked_) {
    const TorchProfilerEnabled enabled = FindTorchProfiler();
    torch_asked_ = enabled != nullptr;
    if (torch_asked_) process_->callback.CheckTorch(enabled);
  }
  const BufferWatch::Act act = torch_watch_.Check(ObserveNow());
  if (act == BufferWatch::Act::kReportTaken) ReportTaken();
  if (act != BufferWatch::Act::kRegisterAgain) return;
  register_again();
  timeline_->Set({State::kDegraded, 0, kWereTaken, kFix});
}

void BufferGuard::ProbeBeforeEnd() {
  if (!CanProbe()) return;
  ending_ = true;
  answers_before_end_ = decoder_->probes();
  asked_before_end_ = Probe();
}

void BufferGuard::End() {
  process_->callback.CheckTorch(nullptr);
  if (!ending_) return;
  const uint64_t answers_before = asked_before_end_ ? answers_before_end_ : 0;
  if (watch_.End(ObserveNow(), answers_before)) ReportTaken();
}

}  // namespace prof::cupti
