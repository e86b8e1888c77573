// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/sample_schedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>

#include "lib/format/hash.h"

namespace prof::cupti {
namespace {

using format::Mix;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr uint32_t kEntryProbes = 64;
// A change of group takes as long as many samples. With fewer than three of them the analyzer has
// a doubt (kEnoughLaunches).
constexpr uint32_t kFirstRound = 3;

// 5: 3, 5. 20: 3, 7, 17, 20. Each round begins after a rest as long as all before it, so the last
// samples of many are the ones that lie far apart.
std::vector<uint32_t> TargetsOf(uint32_t samples) {
  std::vector<uint32_t> targets = {std::min((samples + 1) / 2, kFirstRound)};
  while (targets.back() < samples) targets.push_back(std::min(samples, targets.back() * 5 / 2));
  return targets;
}

}  // namespace

uint64_t HashOf(const Signature& s) {
  uint64_t hash = Mix(s.range_matches ? 1 : 2, reinterpret_cast<uintptr_t>(s.function));
  hash = Mix(hash, s.slot);
  for (int i = 0; i < 3; ++i) hash = Mix(hash, (uint64_t{s.grid[i]} << 32) | s.block[i]);
  hash = Mix(Mix(hash, s.dynamic_shared_bytes), s.range_family);
  return hash == 0 ? 1 : hash;
}

SampleSchedule::SampleSchedule(uint32_t samples, uint32_t skip, uint32_t every)
    : skip_(skip),
      every_(std::max(every, 1U)),
      targets_(TargetsOf(std::clamp<uint32_t>(samples, 1, 100))),
      entries_(new (std::nothrow) Entry[kCapacity]) {
  work_.reserve(kCapacity);
}

// --- Launching threads ---------------------------------------------------------------------------

SampleSchedule::Entry* SampleSchedule::Find(uint64_t key, bool* is_new) {
  *is_new = false;
  if (entries_ == nullptr) return nullptr;
  for (uint32_t probe = 0; probe < kEntryProbes; ++probe) {
    Entry& entry = entries_[(key + probe) % kCapacity];
    uint64_t found = entry.key.load(std::memory_order_acquire);
    if (found == key) return &entry;
    if (found != 0) continue;
    if (entry.key.compare_exchange_strong(found, key, std::memory_order_acq_rel)) {
      signatures_.fetch_add(1, kRelaxed);
      unfinished_.fetch_add(1, kRelaxed);
      *is_new = true;
      return &entry;
    }
    if (found == key) return &entry;
  }
  dropped_.fetch_add(1, kRelaxed);
  return nullptr;
}

SampleSchedule::Entry* SampleSchedule::FindKnown(uint64_t key) const {
  for (uint32_t probe = 0; entries_ != nullptr && probe < kEntryProbes; ++probe) {
    Entry& entry = entries_[(key + probe) % kCapacity];
    const uint64_t found = entry.key.load(std::memory_order_acquire);
    if (found == key) return &entry;
    if (found == 0) return nullptr;
  }
  return nullptr;
}

void SampleSchedule::Decide(Entry& entry, size_t slot, Exclusion exclusion) {
  entry.slot = static_cast<uint8_t>(slot);
  if (exclusion == Exclusion::kNone) {
    slots_[slot].fresh.fetch_add(1, kRelaxed);
  } else {
    entry.state = Entry::State::kDone;
    Finish(entry);
  }
  entry.exclusion.store(exclusion, std::memory_order_release);
}

bool SampleSchedule::Considers(Entry& entry, int64_t now_ns) {
  const Exclusion exclusion = entry.exclusion.load(std::memory_order_acquire);
  if (exclusion == Exclusion::kUndecided) return false;
  if (exclusion != Exclusion::kNone) entry.launches.fetch_add(1, kRelaxed);
  if (entry.finished.load(kRelaxed)) {
    quiet_launches_.fetch_add(1, kRelaxed);
    return false;
  }
  const uint32_t launch = entry.launches.fetch_add(1, kRelaxed);
  const int64_t last_ns = entry.last_launch_ns.exchange(now_ns, kRelaxed);
  if (last_ns != 0) {
    const int64_t interval_ns = entry.interval_ns.load(kRelaxed);
    entry.interval_ns.store(std::max(now_ns - last_ns, interval_ns - interval_ns / 8), kRelaxed);
  }
  quiet_launches_.store(0, kRelaxed);
  last_lack_ns_.store(now_ns, kRelaxed);
  if (launch < skip_ || (launch - skip_) % every_ != 0) return false;
  return now_ns >= entry.resume_ns.load(kRelaxed);
}

void SampleSchedule::Exclude(Entry& entry, Exclusion reason) {
  entry.exclusion.store(reason, std::memory_order_release);
  Finish(entry);  // the next visit frees its place
}

void SampleSchedule::Finish(Entry& entry) {
  if (!entry.finished.exchange(true, kRelaxed)) unfinished_.fetch_sub(1, kRelaxed);
}

// --- One thread at a time ------------------------------------------------------------------------

uint32_t SampleSchedule::Target(const Entry& entry) const {
  if (entry.round < targets_.size()) return targets_[entry.round];
  // The extra round: as many as the last one, and enough for themselves.
  const size_t last = targets_.size() - 1;
  const uint32_t more = targets_[last] - (last > 0 ? targets_[last - 1] : 0);
  return targets_[last] + std::max(more, std::min(targets_[last], kFirstRound));
}

// 0: not known yet.
double SampleSchedule::WorkNs(const Entry& entry) {
  if (entry.requested.load(kRelaxed)) return std::numeric_limits<double>::infinity();
  const uint32_t timed = entry.timed_launches.load(kRelaxed);
  if (timed == 0) return 0;
  return static_cast<double>(entry.timed_ns.load(kRelaxed)) / timed * entry.launches.load(kRelaxed);
}

// Where there are more signatures than places, those with most GPU time get them. The next ones
// follow when these are finished.
void SampleSchedule::ChooseByWork(size_t slot_index, int64_t now_ns) {
  Slot& slot = slots_[slot_index];
  slot.least_work_ns = 0;
  work_.clear();
  for (uint32_t i = 0; entries_ != nullptr && i < kCapacity; ++i) {
    const Entry& entry = entries_[i];
    // Its slot is set once its exclusion was decided.
    if (entry.exclusion.load(std::memory_order_acquire) == Exclusion::kUndecided ||
        entry.slot != slot_index || entry.finished.load(kRelaxed) || IsGone(entry, now_ns)) {
      continue;
    }
    work_.push_back(WorkNs(entry));
  }
  if (work_.size() <= kMaxOpen) return;
  std::nth_element(work_.begin(), work_.begin() + (kMaxOpen - 1), work_.end(), std::greater<>());
  slot.least_work_ns = work_[kMaxOpen - 1];
}

bool SampleSchedule::Open(Entry& entry, Slot& slot, int64_t now_ns) {
  if (WorkNs(entry) < slot.least_work_ns) return false;
  const uint32_t fresh = slot.fresh.load(kRelaxed);
  // Half of the places are for those that have nothing yet.
  const bool later = entry.round > 0 && fresh > 0;
  if (slot.open >= (later ? kMaxOpen / 2 : kMaxOpen)) return false;
  entry.wants = 0;
  for (uint32_t group = 0; group < slot.groups; ++group) {
    if (entry.taken[group] < Target(entry)) entry.wants |= uint64_t{1} << group;
  }
  if (entry.region.load(kRelaxed)) entry.wants &= ~slot.kernel_only;
  if (entry.wants == 0) {
    Finish(entry);
    return false;
  }
  if (entry.state == Entry::State::kNew) slot.fresh.fetch_sub(1, kRelaxed);
  entry.state = Entry::State::kOpen;
  for (uint32_t group = 0; group < slot.groups; ++group) {
    slot.wanting[group] += entry.wants >> group & 1;
  }
  if (slot.open++ == 0) slot.gather_until_ns = now_ns + kPatienceNs;
  return true;
}

void SampleSchedule::Close(Entry& entry, Slot& slot, Entry::State next) {
  if (entry.state == Entry::State::kNew) slot.fresh.fetch_sub(1, kRelaxed);
  if (entry.state == Entry::State::kOpen) {
    for (uint32_t group = 0; group < slot.groups; ++group) {
      slot.wanting[group] -= entry.wants >> group & 1;
    }
    --slot.open;
  }
  entry.state = next;
}

void SampleSchedule::EndRound(Entry& entry, Slot& slot, int64_t now_ns) {
  ++entry.round;
  if (entry.round >= targets_.size() + (entry.extra_round ? 1 : 0)) {
    Close(entry, slot, Entry::State::kDone);
    Finish(entry);
    return;
  }
  Close(entry, slot, Entry::State::kResting);
  entry.resume_ns.store(now_ns + std::min(now_ns - entry.first_take_ns, kMaxRestNs), kRelaxed);
}

bool SampleSchedule::IsGone(const Entry& entry, int64_t now_ns) {
  return now_ns - entry.last_launch_ns.load(kRelaxed) >
         std::max(kGoneNs, 8 * entry.interval_ns.load(kRelaxed));
}

// Other signatures get the group between two samples of one; more of them with each sample.
bool SampleSchedule::TooClose(const Entry& entry, const Slot& slot, int64_t now_ns) {
  return entry.visit == slot.visit &&
         entry.launches.load(kRelaxed) - entry.take_launch <= entry.visit_takes &&
         now_ns - entry.take_ns < kSpacingNs;
}

uint32_t SampleSchedule::GroupAfter(const Slot& slot, uint32_t group) {
  for (uint32_t i = 1; i <= slot.groups; ++i) {
    const uint32_t next = (group + i) % slot.groups;
    if (slot.wanting[next] > 0) return next;
  }
  return group;
}

void SampleSchedule::Revisit(Entry& entry, Slot& slot, int64_t now_ns) {
  using State = Entry::State;
  if (entry.finished.load(kRelaxed)) {
    Close(entry, slot, State::kDone);
  } else if (entry.state == State::kOpen && WorkNs(entry) < slot.least_work_ns) {
    Close(entry, slot, State::kParked);
  } else if (IsGone(entry, now_ns)) {
    if (entry.state != State::kResting) Close(entry, slot, State::kParked);
  } else if (entry.state == State::kNew
                 ? entry.launches.load(kRelaxed) >= skip_
                 : entry.state == State::kResting && now_ns >= entry.resume_ns.load(kRelaxed)) {
    Open(entry, slot, now_ns);
  }
}

void SampleSchedule::BeginVisit(size_t slot_index, uint32_t groups, uint32_t group,
                                int64_t now_ns) {
  Slot& slot = slots_[slot_index];
  slot.groups = std::min(groups, kMaxGroups);
  ++slot.visit;
  slot.idle_since_ns = now_ns;
  RevisitAll(slot_index, now_ns);
  // The known signatures are open now; if there are none, the first ones gather again.
  if (slot.open > 0 && group < slot.groups && slot.wanting[group] > 0) {
    slot.gather_until_ns = now_ns;
  }
}

void SampleSchedule::RevisitAll(size_t slot_index, int64_t now_ns) {
  Slot& slot = slots_[slot_index];
  slot.revisited_ns = now_ns;
  ChooseByWork(slot_index, now_ns);
  for (uint32_t i = 0; entries_ != nullptr && i < kCapacity; ++i) {
    Entry& entry = entries_[i];
    if (entry.key.load(kRelaxed) == 0 ||
        entry.exclusion.load(std::memory_order_acquire) == Exclusion::kUndecided ||
        entry.slot != slot_index) {
      continue;
    }
    Revisit(entry, slot, now_ns);
  }
}

SampleSchedule::Decision SampleSchedule::Next(Entry& entry, size_t slot_index, uint32_t groups,
                                              int active, int64_t now_ns) {
  Slot& slot = slots_[slot_index];
  slot.groups = std::min(groups, kMaxGroups);
  if (entry.finished.load(kRelaxed)) return {};
  if (entry.state != Entry::State::kOpen && !Open(entry, slot, now_ns)) {
    // All places are taken, maybe by signatures of an earlier phase of the program.
    if (now_ns - slot.revisited_ns >= kGoneNs) RevisitAll(slot_index, now_ns);
    if (entry.state != Entry::State::kOpen) return {};
  }
  if (active < 0) return {Action::kRotate, GroupAfter(slot, slot.groups - 1)};
  const auto group = static_cast<uint32_t>(active);
  if (entry.wants >> group & 1) {
    if (slot.wanting[group] > 1 && TooClose(entry, slot, now_ns)) return {};
    return {Action::kSample, group};
  }
  const int64_t patience_ns = std::max(kPatienceNs, 4 * entry.interval_ns.load(kRelaxed));
  const bool leave = slot.wanting[group] == 0 ? now_ns >= slot.gather_until_ns
                                              : now_ns - slot.idle_since_ns >= patience_ns;
  return leave ? Decision{Action::kRotate, GroupAfter(slot, group)} : Decision{};
}

SampleSchedule::Decision SampleSchedule::CountSample(Entry& entry, size_t slot_index,
                                                     uint32_t group, int64_t now_ns) {
  Slot& slot = slots_[slot_index];
  if (entry.visit != slot.visit) entry.visit_takes = 0;
  entry.visit = slot.visit;
  ++entry.visit_takes;
  ++entry.taken[group];
  entry.take_launch = entry.launches.load(kRelaxed);
  entry.take_ns = now_ns;
  if (entry.first_take_ns == 0) entry.first_take_ns = now_ns;
  slot.idle_since_ns = now_ns;
  const uint64_t bit = uint64_t{1} << group;
  if ((entry.wants & bit) != 0 && entry.taken[group] >= Target(entry)) {
    entry.wants &= ~bit;
    --slot.wanting[group];
  }
  if (entry.state == Entry::State::kOpen && entry.wants == 0) EndRound(entry, slot, now_ns);
  const bool others_may_come =
      slot.open < kMaxOpen && (slot.fresh.load(kRelaxed) > 0 || now_ns < slot.gather_until_ns);
  if (slot.wanting[group] > 0 || others_may_come) return {};
  const uint32_t next = GroupAfter(slot, group);
  return next == group ? Decision{} : Decision{Action::kRotate, next};
}

uint32_t SampleSchedule::AfterFull(size_t slot, uint32_t group) const {
  return GroupAfter(slots_[slot], group);
}

void SampleSchedule::AddClock(Entry& entry, double hz) {
  if (!(hz > 0)) return;
  if (entry.clock_hz == 0) entry.clock_hz = hz;
  if (entry.extra_round || std::abs(hz / entry.clock_hz - 1) <= kClockMoved) return;
  entry.extra_round = true;
  const bool excluded = entry.exclusion.load(std::memory_order_acquire) != Exclusion::kNone;
  if (excluded || !entry.finished.exchange(false, kRelaxed)) return;
  unfinished_.fetch_add(1, kRelaxed);
  entry.state = Entry::State::kResting;
}

// --- Any thread ----------------------------------------------------------------------------------

bool SampleSchedule::Complete(int64_t now_ns) const {
  const uint32_t signatures = signatures_.load(kRelaxed);
  if (signatures == 0) return false;
  if (unfinished_.load(kRelaxed) == 0) return true;
  // Signatures that lack samples do not run any more, so nothing waits for them.
  const uint32_t quiet = quiet_launches_.load(kRelaxed);
  constexpr int64_t kQuietNs = 5'000'000'000;
  return quiet >= 4 * signatures + 256 ||
         (quiet >= 2 * signatures + 4 && now_ns - last_lack_ns_.load(kRelaxed) >= kQuietNs);
}

SampleSchedule::Count SampleSchedule::CountOf(Exclusion exclusion) const {
  Count count;
  for (uint32_t i = 0; entries_ != nullptr && i < kCapacity; ++i) {
    const Entry& entry = entries_[i];
    if (entry.key.load(kRelaxed) == 0 || entry.exclusion.load(kRelaxed) != exclusion) continue;
    ++count.signatures;
    count.launches += entry.launches.load(kRelaxed);
  }
  return count;
}

}  // namespace prof::cupti
