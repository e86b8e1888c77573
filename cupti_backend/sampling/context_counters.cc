// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/context_counters.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

std::atomic<bool> profiler_loaded{false};

}  // namespace

bool ContextCounters::ProfilerLoaded() { return profiler_loaded.load(); }

CUptiResult ContextCounters::Enable(const HardwareLease&, CUcontext context) {
  profiler_ = std::make_unique<RangeProfiler>(
      parts_->api, context,
      parts_->replays ? RangeProfiler::Mode::kReplayedKernels : RangeProfiler::Mode::kUserRanges);
  samples_.reserve(profiler_->max_ranges());  // so that Push allocates nothing
  is_new_ = true;
  return profiler_->Enable(*plan_->passes);
}

CUptiResult ContextCounters::Count(const HardwareLease& lease, uint32_t group) {
  const std::vector<PlannedGroup>& groups = plan_->passes->groups;
  CUptiResult result = StopAndDecode(lease);
  if (result == CUPTI_SUCCESS && is_new_) result = profiler_->CountSoftwareFirst(*plan_->passes);
  is_new_ = false;
  if (result == CUPTI_SUCCESS) result = profiler_->Configure(groups[group]);
  if (result == CUPTI_SUCCESS) result = profiler_->Start();
  if (result != CUPTI_SUCCESS) return result;
  started_ = true;
  group_.store(static_cast<int>(group));
  parts_->policy.BeginVisit(slot_, static_cast<uint32_t>(groups.size()), group,
                            capture::MonotonicNs());
  return CUPTI_SUCCESS;
}

CUptiResult ContextCounters::StopAndDecode(const HardwareLease& lease) {
  if (!started_) return CUPTI_SUCCESS;
  started_ = false;
  CUptiResult result = profiler_->Stop();
  if (result != CUPTI_SUCCESS || samples_.empty()) return result;
  size_t ranges = 0;
  result = profiler_->Decode(&ranges);
  if (result != CUPTI_SUCCESS) {
    LoseSamples(lease);
    return result;
  }
  profiler_loaded.store(true);
  const PlannedGroup& group = plan_->passes->groups[static_cast<size_t>(group_.load())];
  std::vector<capture::CounterSampleEvent> read =
      ReadSamples(*plan_, group, *profiler_, samples_, ranges, &parts_->policy);
  parts_->outbox.CountFailed(samples_.size() - std::min(samples_.size(), read.size()));
  samples_.clear();
  if (read.empty()) return CUPTI_SUCCESS;
  std::vector<PeakEvent> peaks = PeaksIn(group, plan_->device, read.front().values);
  parts_->outbox.Add(std::move(read), std::move(peaks));
  return CUPTI_SUCCESS;
}

void ContextCounters::Disable(const HardwareLease&) {
  if (profiler_ != nullptr) profiler_->Disable();
}

void ContextCounters::Reset(const HardwareLease& lease) {
  LoseSamples(lease);
  group_.store(-1);
  Disable(lease);
  profiler_.reset();
}

void ContextCounters::LoseSamples(const HardwareLease&) {
  parts_->outbox.CountFailed(samples_.size());
  samples_.clear();
  started_ = false;
}

CUptiResult ContextCounters::Push(const HardwareLease&, const Sample& sample) {
  char name[16];
  std::snprintf(name, sizeof(name), "%zu", samples_.size());
  const CUptiResult result = profiler_->Push(name);
  if (result == CUPTI_SUCCESS) samples_.push_back(sample);
  return result;
}

CUptiResult ContextCounters::Pop(const HardwareLease&) { return profiler_->Pop(); }

void ContextCounters::SpoilSample(const HardwareLease&) {
  if (!samples_.empty()) samples_.back().spoilt = true;
}

void ContextCounters::EndSample(const HardwareLease&, int64_t end_ns) {
  if (!samples_.empty()) samples_.back().end_ns = end_ns;
}

}  // namespace prof::cupti
