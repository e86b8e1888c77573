// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/sampling_policy.h"

namespace prof::cupti {
namespace {

// A replayed launch gives everything at once, and there may be no second one.
SampleSchedule ScheduleFor(const SessionOptions& options) {
  const bool replays = options.replay == Replay::kKernel;
  return SampleSchedule(replays ? 1 : static_cast<uint32_t>(options.samples_per_signature),
                        replays ? 0 : static_cast<uint32_t>(options.skip_first_launches),
                        static_cast<uint32_t>(options.sample_every));
}

}  // namespace

SamplingPolicy::SamplingPolicy(const SessionOptions& options)
    : replays_(options.replay == Replay::kKernel),
      schedule_(ScheduleFor(options)),
      selection_(options),
      counted_ranges_(options.counted_ranges) {}

void SamplingPolicy::DecideNew(const Launch& launch, bool range_matches, size_t slot,
                               Entry* entry) {
  entry->region.store(launch.unit != capture::SampleUnit::kKernel);
  const bool range = launch.unit == capture::SampleUnit::kRange;
  entry->requested.store(range);
  schedule_.Decide(
      *entry, slot,
      range ? Exclusion::kNone : selection_.Decide(launch.kernel_name, range_matches, launch.unit));
  if (launch.waits) {
    selection_.Exclude(schedule_, *entry, Exclusion::kWaits, "a graph with such kernels");
  }
}

SamplingPolicy::Entry* SamplingPolicy::Consider(const Launch& launch, size_t slot, int64_t now_ns,
                                                Entry** known) {
  Signature signature = launch.signature;
  signature.slot = slot;
  signature.range_matches = selection_.RangeMatches(launch.path);
  bool is_new = false;
  Entry* entry = schedule_.Find(HashOf(signature), &is_new);
  if (known != nullptr) *known = entry;
  if (entry == nullptr) return nullptr;
  if (is_new) DecideNew(launch, signature.range_matches, slot, entry);
  const bool chosen =
      launch.unit == capture::SampleUnit::kRange ||
      (entry->exclusion.load(std::memory_order_relaxed) == Exclusion::kNone && selection_.Admits());
  return schedule_.Considers(*entry, now_ns) && chosen ? entry : nullptr;
}

void SamplingPolicy::MeasureWork(uint32_t context_id, const Launch& launch, Entry* entry) {
  const uint32_t launches = entry->launches.load(std::memory_order_relaxed);
  const bool steady = entry->steady.load(std::memory_order_relaxed);
  if (steady && launches > 4 && launches % 128 != 0) return;
  records_.work.Request(context_id, launch.correlation, entry);
}

bool SamplingPolicy::IsSuspect(uint32_t context_id, const Launch& launch,
                               const Entry& entry) const {
  return !replays_ && launch.unit == capture::SampleUnit::kKernel &&
         !entry.steady.load(std::memory_order_relaxed) && records_.LastEnded(context_id) != 0;
}

bool SamplingPolicy::Trusted(const Entry& entry, bool several) {
  const Exclusion exclusion = entry.exclusion.load(std::memory_order_relaxed);
  if (exclusion != Exclusion::kNone && exclusion != Exclusion::kNotChosen) return false;
  // A graph runs its own nodes side by side; that it needs later launches is not to be expected.
  if (entry.region.load(std::memory_order_relaxed)) return true;
  return entry.steady.load(std::memory_order_relaxed) &&
         (!several || entry.alone.load(std::memory_order_relaxed) == SampleSchedule::Alone::kYes);
}

bool SamplingPolicy::EndsByItself(uint32_t context_id, const Launch& launch, Entry* entry) {
  using Alone = SampleSchedule::Alone;
  const Alone alone = entry->alone.load(std::memory_order_relaxed);
  if (alone == Alone::kYes) return true;
  // A graph runs its own nodes side by side; that it needs later launches is not to be expected.
  if (launch.unit == capture::SampleUnit::kGraph) return true;
  if (alone == Alone::kUnknown &&
      records_.overlaps.Request(context_id, launch.correlation, entry)) {
    entry->alone.store(Alone::kRequested, std::memory_order_relaxed);
  }
  return false;
}

SamplingPolicy::Decision SamplingPolicy::Next(Entry& entry, const Hardware& hardware,
                                              int64_t now_ns) {
  const Decision decision =
      schedule_.Next(entry, hardware.slot, hardware.groups, hardware.group, now_ns);
  if (decision.action != SampleSchedule::Action::kSample || hardware.has_room) return decision;
  return {SampleSchedule::Action::kRotate, schedule_.AfterFull(hardware.slot, decision.group)};
}

std::optional<uint32_t> SamplingPolicy::AfterSample(Entry& entry, size_t slot, uint32_t group,
                                                    int64_t now_ns) {
  const Decision next = schedule_.CountSample(entry, slot, group, now_ns);
  if (next.action == SampleSchedule::Action::kRotate) return next.group;
  if (replays_) return group;  // once more: a change of group reads the samples
  return std::nullopt;
}

bool SamplingPolicy::ExcludeHeldUp(Entry& entry, const char* kernel_name) {
  if (entry.exclusion.load() == Exclusion::kHeldUp) return false;
  selection_.Exclude(schedule_, entry, Exclusion::kHeldUp, kernel_name);
  return true;
}

void SamplingPolicy::ExcludeOverlapping(int64_t now_ns) {
  for (Entry* entry : records_.overlaps.Resolve(now_ns)) {
    selection_.Exclude(schedule_, *entry, Exclusion::kNeverAlone, nullptr);
  }
}

}  // namespace prof::cupti
