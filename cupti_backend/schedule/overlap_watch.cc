// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/overlap_watch.h"

namespace prof::cupti {
namespace {

uint64_t LaunchKeyOf(uint32_t context, uint32_t correlation) {
  return uint64_t{context} << 32 | correlation;
}

constexpr uint64_t kFree = 0, kFilling = 1;

}  // namespace

bool OverlapWatch::Request(uint32_t context, uint32_t correlation, SampleSchedule::Entry* entry) {
  for (Question& question : questions_) {
    uint64_t expected = kFree;
    if (question.launch.load(std::memory_order_relaxed) != kFree ||
        !question.launch.compare_exchange_strong(expected, kFilling, std::memory_order_acquire)) {
      continue;
    }
    question.entry = entry;
    question.since_ns = 0;
    question.recorded = question.overlapped = question.here = false;
    question.launch.store(LaunchKeyOf(context, correlation), std::memory_order_release);
    requested_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void OverlapWatch::Add(uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation,
                       int64_t start_ns, int64_t end_ns) {
  if (requested_.load(std::memory_order_relaxed) == 0) return;
  const Run run{device, context, stream, correlation, start_ns, end_ns};
  for (Question& question : questions_) {
    const uint64_t launch = question.launch.load(std::memory_order_acquire);
    if (launch <= kFilling) continue;
    if (question.recorded) {
      question.Compare(run);
    } else if (launch == LaunchKeyOf(context, correlation)) {
      question.recorded = true;
      question.since_ns = 0;
      question.run = run;
      for (const Run& other : runs_) question.Compare(other);
    }
  }
  if (runs_.size() < kMaxRuns) {
    runs_.push_back(run);
  } else {
    runs_[next_run_] = run;
    next_run_ = (next_run_ + 1) % kMaxRuns;
  }
}

std::vector<SampleSchedule::Entry*> OverlapWatch::Resolve(int64_t now_ns) {
  using Alone = SampleSchedule::Alone;
  std::vector<SampleSchedule::Entry*> given_up;
  if (requested_.load(std::memory_order_relaxed) == 0) {
    runs_.clear();
    next_run_ = 0;
    return given_up;
  }
  for (Question& question : questions_) {
    if (question.launch.load(std::memory_order_acquire) <= kFilling) continue;
    if (question.since_ns == 0) question.since_ns = now_ns;
    if (now_ns - question.since_ns < (question.recorded ? kSettleNs : kForgetNs)) continue;
    SampleSchedule::Entry& entry = *question.entry;
    Alone answer = Alone::kUnknown;  // to be requested again
    if (question.recorded && !question.overlapped) {
      answer = Alone::kYes;
    } else if (question.recorded && question.here &&
               entry.overlapped.fetch_add(1, std::memory_order_relaxed) + 1 == kMaxOverlapped) {
      given_up.push_back(&entry);
    }
    entry.alone.store(answer, std::memory_order_relaxed);
    question.launch.store(kFree, std::memory_order_release);
    requested_.fetch_sub(1, std::memory_order_relaxed);
  }
  return given_up;
}

}  // namespace prof::cupti
