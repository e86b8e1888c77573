// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/sampling_policy.h"

#include <cmath>

#include "cupti_backend/schedule/triage_schedule.h"
#include "lib/format/hash.h"

namespace prof::cupti {
namespace {

// A replayed launch gives everything at once, and there may be no second one.
SampleSchedule ScheduleFor(const SessionOptions& options) {
  const bool replays = options.replay == Replay::kKernel;
  return SampleSchedule(replays ? 1 : static_cast<uint32_t>(options.samples_per_signature),
                        replays ? 0 : static_cast<uint32_t>(options.skip_first_launches),
                        static_cast<uint32_t>(options.sample_every));
}

std::unique_ptr<NeedSchedule> NeedsFor(const SessionOptions& options) {
  if (options.counters != Counters::kAuto || options.replay == Replay::kKernel) return nullptr;
  auto needs = std::make_unique<NeedSchedule>(static_cast<uint32_t>(options.samples_per_signature),
                                              static_cast<uint32_t>(options.skip_first_launches),
                                              static_cast<uint32_t>(options.sample_every));
  needs->SetTriage(WantsTriage(options));
  if (!options.metrics.empty()) needs->SetAlways(format::kNeedsRequested);
  return needs;
}

uint64_t ShapeOf(const Launch& launch) {
  const Signature& signature = launch.signature;
  if (launch.kernel_name == nullptr) return HashOf(signature);  // a graph or a range
  return KernelKeyOf(launch.kernel_name, signature.grid, signature.block,
                     signature.dynamic_shared_bytes);
}

// The records of some of the first launches, and of one now and then, give the GPU time; and when a
// kernel starts that the alarm waits for.
constexpr uint32_t kFirstTimed = 4, kTimedForAlarm = 8, kTimed = 128;
static_assert(kTimed % kTimedForAlarm == 0);

}  // namespace

SamplingPolicy::SamplingPolicy(const SessionOptions& options)
    : replays_(options.replay == Replay::kKernel),
      schedule_(ScheduleFor(options)),
      needs_(NeedsFor(options)),
      selection_(options),
      counted_ranges_(options.counted_ranges) {}

void SamplingPolicy::DecideNew(const Launch& launch, bool range_matches, size_t slot,
                               Entry* entry) {
  entry->region.store(launch.unit != capture::SampleUnit::kKernel);
  const bool range = launch.unit == capture::SampleUnit::kRange;
  entry->requested.store(range);
  const Exclusion exclusion =
      range ? Exclusion::kNone : selection_.Decide(launch.kernel_name, range_matches, launch.unit);
  if (by_need() && exclusion == Exclusion::kNone && !launch.waits) {
    needs_->Add(*entry, slot, ShapeOf(launch));
  }
  schedule_.Decide(*entry, slot, exclusion);
  if (launch.waits) {
    selection_.Exclude(schedule_, *entry, Exclusion::kWaits, "a graph with such kernels");
  }
}

// Where there are many signatures, kernels may be loaded again and again, as libraries do it that
// compile them for each call. A new one is then known by its name, which takes 0.1 us a launch, and
// not by its function.
[[gnu::noinline]] SamplingPolicy::Entry* SamplingPolicy::FindOfMany(Signature signature,
                                                                    const char* kernel_name,
                                                                    bool* is_new) {
  const uint64_t key = HashOf(signature);
  if (kernel_name == nullptr) return schedule_.Find(key, is_new);
  if (Entry* known = schedule_.FindKnown(key); known != nullptr) return known;
  signature.function = nullptr;
  const uint64_t name = KernelKeyOf(kernel_name, {}, {}, 0);
  return schedule_.Find(format::Mix(HashOf(signature), name), is_new);
}

SamplingPolicy::Entry* SamplingPolicy::Consider(const Launch& launch, size_t slot, int64_t now_ns,
                                                Entry** known) {
  Signature signature = launch.signature;
  signature.slot = slot;
  signature.range_matches = selection_.RangeMatches(launch.path);
  bool is_new = false;
  Entry* entry = schedule_.signatures() < kManySignatures
                     ? schedule_.Find(HashOf(signature), &is_new)
                     : FindOfMany(signature, launch.kernel_name, &is_new);
  if (known != nullptr) *known = entry;
  if (entry == nullptr) return nullptr;
  if (is_new) DecideNew(launch, signature.range_matches, slot, entry);
  const bool chosen =
      launch.unit == capture::SampleUnit::kRange ||
      (entry->exclusion.load(std::memory_order_relaxed) == Exclusion::kNone && selection_.Admits());
  if (!by_need()) return schedule_.Considers(*entry, now_ns) && chosen ? entry : nullptr;
  const bool wanted = needs_->Considers(*entry, now_ns);
  const bool timed = IsTimedNow(*entry);
  return (wanted || timed) && chosen ? entry : nullptr;
}

bool SamplingPolicy::IsTimedNow(const Entry& entry) const {
  const uint32_t launches = entry.launches.load(std::memory_order_relaxed);
  if (launches <= kFirstTimed) return true;
  if (launches % kTimedForAlarm != 0) return false;  // most launches
  return launches % kTimed == 0 ||
         (by_need() && needs_->alarm().learns() && entry.unseen.load(std::memory_order_relaxed));
}

void SamplingPolicy::MeasureWork(uint32_t context_id, const Launch& launch, Entry* entry,
                                 int64_t now_ns) {
  const bool steady = entry->steady.load(std::memory_order_relaxed);
  if (steady && !IsTimedNow(*entry)) return;
  records_.work.Request(context_id, launch.correlation, entry, now_ns);
}

bool SamplingPolicy::IsSuspect(uint32_t context_id, const Launch& launch,
                               const Entry& entry) const {
  return !replays_ && launch.unit == capture::SampleUnit::kKernel &&
         !entry.steady.load(std::memory_order_relaxed) && records_.LastEnded(context_id) != 0;
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
      by_need() ? needs_->Next(entry, hardware.slot, hardware.group)
                : schedule_.Next(entry, hardware.slot, hardware.groups, hardware.group, now_ns);
  if (decision.action != SampleSchedule::Action::kSample || hardware.has_room) return decision;
  return {SampleSchedule::Action::kRotate,
          by_need() ? needs_->AfterFull(hardware.slot, decision.group)
                    : schedule_.AfterFull(hardware.slot, decision.group)};
}

std::optional<uint32_t> SamplingPolicy::AfterSample(Entry& entry, size_t slot, uint32_t group,
                                                    int64_t now_ns) {
  const Decision next = by_need() ? needs_->CountSample(entry, slot, group, now_ns)
                                  : schedule_.CountSample(entry, slot, group, now_ns);
  if (next.action == SampleSchedule::Action::kRotate) return next.group;
  if (replays_) return group;  // once more: a change of group reads the samples
  return std::nullopt;
}

void SamplingPolicy::BeginVisit(size_t slot, uint32_t groups, uint32_t group, int64_t now_ns) {
  if (by_need()) {
    needs_->BeginVisit(slot, now_ns);
  } else {
    schedule_.BeginVisit(slot, groups, group, now_ns);
  }
}

void SamplingPolicy::SetUse(KernelKey kernel, const TriageUse& percent) {
  format::UnitUse use;
  for (size_t unit = 0; unit < percent.size(); ++unit) {
    if (std::isnan(percent[unit])) continue;
    use.Set(static_cast<format::TriageUnit>(unit), static_cast<double>(percent[unit]) / 100);
  }
  SetNeeds(kernel, format::NeedsOf(use));
}

void SamplingPolicy::Refresh(bool plenty, int64_t now_ns) {
  if (by_need()) needs_->Refresh(plenty, now_ns);
}

std::optional<uint32_t> SamplingPolicy::Plan(const Hardware& hardware, int64_t now_ns) {
  if (!by_need()) return std::nullopt;
  const Decision decision = needs_->Plan(hardware.slot, hardware.group, now_ns);
  if (decision.action != SampleSchedule::Action::kRotate) return std::nullopt;
  return decision.group;
}

void SamplingPolicy::SetGroups(size_t slot, const std::vector<NeedSchedule::Group>& groups) {
  uint64_t kernel_only = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].kernel_only) kernel_only |= uint64_t{1} << i;
  }
  schedule_.SetKernelOnly(slot, kernel_only);
  if (by_need()) needs_->SetGroups(slot, groups);
}

bool SamplingPolicy::WantedOfLate(size_t slot, int64_t now_ns) const {
  return by_need() && now_ns - needs_->last_wanted_ns(slot) < NeedSchedule::kLongestRunningNs;
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
