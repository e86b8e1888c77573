// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/triage_device.h"

#include <algorithm>

#include "cupti_backend/api/counter_errors.h"
#include "cupti_backend/api/device_info.h"
#include "lib/capture/environment.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/timed_wait.h"

namespace prof::cupti {
namespace {

// A thread that wakes late gets more samples than it asked for.
constexpr uint32_t kRoom = TriageSchedule::kBurstSamples + 64;
// A sample takes 8.4 KB with the units alone on an H200; with the rates it was not measured. Room
// for a thread that is 10 ms late, were it twice as much.
constexpr size_t kBurstBufferBytes = size_t{32} << 20;
// Sampling goes on for this time while CUPTI stops it (H200).
constexpr int64_t kStopNs = 300'000;
constexpr int64_t kShortestSleepNs = 20'000;
constexpr int kBurstsOfPass = 6;

Problem OtherRecording() {
  return {static_cast<int>(CUPTI_ERROR_HARDWARE_BUSY),
          "another recording of prof has this GPU's counters; they take turns", ""};
}

}  // namespace

bool TriageDevice::Claim() {
  Phase expected = Phase::kFree;
  return phase_.compare_exchange_strong(expected, Phase::kPreparing, std::memory_order_acq_rel);
}

std::optional<Problem> TriageDevice::MakeHost() {
  host_ = parts_.hosts->Find(id_);
  if (host_ != nullptr) return std::nullopt;
  MadePmHost made =
      MakePmHost(*parts_.api, id_, Availability::kAssumed,
                 [](const MetricHost& host) { return std::vector<PmPlan>{PlanTriage(host)}; });
  if (made.host == nullptr) return std::move(made.problem);
  host_ = parts_.hosts->Put(id_, std::move(made.host));
  if (host_ == nullptr) {
    return Problem{static_cast<int>(CUPTI_ERROR_INVALID_DEVICE),
                   "PM sampling serves the first " + std::to_string(PmHosts::kMaxDevices) +
                       " devices of a process",
                   ""};
  }
  return std::nullopt;
}

CUptiResult TriageDevice::OpenSession(int64_t interval_ns) {
  return session_.Open(pass(), interval_ns, {kRoom, kBurstBufferBytes});
}

std::optional<Problem> TriageDevice::Prepare() {
  std::optional<Problem> problem = MakeHost();
  if (!problem) {
    turn_.Open(capture::SharedFolderFromEnvironment(), UuidOf(*parts_.driver, id_));
    const int64_t now_ns = capture::MonotonicNs();
    problem = MayOpen(now_ns) ? Open(schedule_.interval_ns(), now_ns) : OtherRecording();
  }
  const bool busy = problem && problem->code == static_cast<int>(CUPTI_ERROR_HARDWARE_BUSY);
  phase_.store(!problem || busy ? Phase::kUsable : Phase::kGivenUp, std::memory_order_release);
  return problem;
}

std::optional<Problem> TriageDevice::Open(int64_t interval_ns, int64_t now_ns) {
  session_.Close();
  if (PassIsDone()) pass_ = (pass_ + 1) % plan().passes.size();
  bursts_of_pass_ = 0;
  const CUptiResult result = OpenSession(interval_ns);
  if (result == CUPTI_SUCCESS) {
    refusals_ = 0;
    retry_at_ns_ = 0;
    return std::nullopt;
  }
  retry_at_ns_ = now_ns + CounterRetryNs(refusals_++);
  turn_.Give(now_ns);
  return ExplainCounterError(*parts_.api, result, "start PM sampling");
}

void TriageDevice::Close() {
  session_.Close();
  turn_.Give(capture::MonotonicNs());
}

bool TriageDevice::PassIsDone() const {
  return plan().passes.size() > 1 && bursts_of_pass_ >= kBurstsOfPass;
}

TriageSignals TriageDevice::Signals(TriageSignals process) const {
  process.lacking = std::max(process.lacking, parts_.coverage->lacking());
  process.interval_ns = parts_.coverage->interval_ns();
  process.resolved = parts_.coverage->bursts_resolved();
  process.idle_share = session_.idle_share();
  process.knows_idle = session_.knows_idle();
  process.within_launch =
      session_.steady() && schedule_.interval_ns() == TriageSchedule::kShortestIntervalNs;
  process.waiting_share = parts_.coverage->waiting_share();
  return process;
}

CUptiResult TriageDevice::Burst(int64_t length_ns, capture::PmBatchEvent* batch) {
  ++bursts_of_pass_;
  parts_.coverage->ExpectBurst(capture::RealtimeNs());
  CUptiResult result = session_.Start();
  if (result != CUPTI_SUCCESS) return result;
  capture::SleepNs(std::max(length_ns - kStopNs, kShortestSleepNs));
  result = session_.Stop();
  if (result != CUPTI_SUCCESS) return result;
  return session_.Decode(*host_->evaluator, PmSession::Idleness::kThinOut, batch);
}

}  // namespace prof::cupti
