// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sample_schedule.h"

#include <algorithm>
#include <new>

namespace prof::cupti {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 33);
}

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

uint64_t HashOf(const Signature& s) {
  uint64_t hash = Mix(1, reinterpret_cast<uintptr_t>(s.function));
  hash = Mix(hash, reinterpret_cast<uintptr_t>(s.context));
  for (int i = 0; i < 3; ++i) hash = Mix(hash, (uint64_t{s.grid[i]} << 32) | s.block[i]);
  hash = Mix(Mix(hash, s.dynamic_shared_bytes), s.range_family);
  return hash == 0 ? 1 : hash;
}

SampleSchedule::SampleSchedule(uint32_t samples, uint32_t skip)
    : samples_(static_cast<uint8_t>(std::clamp<uint32_t>(samples, 1, 100))),
      skip_(skip),
      entries_(new (std::nothrow) Entry[kCapacity]) {}

SampleSchedule::Entry* SampleSchedule::Find(uint64_t key, bool* is_new) {
  *is_new = false;
  if (entries_ == nullptr) return nullptr;
  constexpr uint32_t kMaxProbes = 64;
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
    Entry& entry = entries_[(key + probe) % kCapacity];
    uint64_t found = entry.key.load(std::memory_order_acquire);
    if (found == key) return &entry;
    if (found != 0) continue;
    if (entry.key.compare_exchange_strong(found, key, std::memory_order_acq_rel)) {
      signatures_.fetch_add(1, kRelaxed);
      pending_.fetch_add(1, kRelaxed);
      *is_new = true;
      return &entry;
    }
    if (found == key) return &entry;
  }
  dropped_.fetch_add(1, kRelaxed);
  return nullptr;
}

SampleSchedule::Decision SampleSchedule::Next(Entry& entry, uint32_t groups, int active,
                                              int64_t now_ns) {
  if (entry.excluded.load(kRelaxed)) {
    if (!entry.done.exchange(true, kRelaxed)) pending_.fetch_sub(1, kRelaxed);
  }
  if (entry.done.load(kRelaxed) || groups == 0) {
    launches_since_want_.fetch_add(1, kRelaxed);
    return {};
  }
  if (entry.launches.fetch_add(1, kRelaxed) < skip_) return {};
  if (active >= 0 && entry.taken[active].load(kRelaxed) < samples_) {
    launches_since_want_.store(0, kRelaxed);
    return {Action::kSample, static_cast<uint32_t>(active)};
  }
  uint32_t wanted = groups;
  for (uint32_t group = 0; group < groups && wanted == groups; ++group) {
    if (entry.taken[group].load(kRelaxed) < samples_) wanted = group;
  }
  if (wanted == groups) {
    if (!entry.done.exchange(true, kRelaxed)) pending_.fetch_sub(1, kRelaxed);
    launches_since_want_.fetch_add(1, kRelaxed);
    return {};
  }
  launches_since_want_.store(0, kRelaxed);
  missed_[wanted].fetch_add(1, kRelaxed);
  const uint32_t missed = missed_total_.fetch_add(1, kRelaxed) + 1;
  const bool impatient = active < 0 || missed >= kGroupPatienceLaunches ||
                         now_ns - last_take_ns_.load(kRelaxed) >= kGroupPatienceNs;
  if (!impatient) return {};
  // Groups are in the order of what they tell: the first one that a fair share of launches wants.
  for (uint32_t group = 0; group < groups; ++group) {
    if (missed_[group].load(kRelaxed) * 4 >= missed) return {Action::kRotate, group};
  }
  return {Action::kRotate, wanted};
}

void SampleSchedule::Took(Entry& entry, uint32_t group, int64_t now_ns) {
  entry.taken[group].fetch_add(1, kRelaxed);
  last_take_ns_.store(now_ns, kRelaxed);
  if (missed_total_.exchange(0, kRelaxed) != 0) {
    for (auto& missed : missed_) missed.store(0, kRelaxed);
  }
}

bool SampleSchedule::Complete() const {
  const uint32_t signatures = signatures_.load(kRelaxed);
  if (signatures == 0) return false;
  return pending_.load(kRelaxed) == 0 ||
         launches_since_want_.load(kRelaxed) >= 4 * signatures + 256;
}

}  // namespace prof::cupti
