// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/work_watch.h"

#include <algorithm>

namespace prof::cupti {
namespace {

uint64_t KeyOf(uint32_t context, uint32_t correlation) {
  return uint64_t{context} << 32 | correlation;
}

bool Alike(int64_t a_ns, int64_t b_ns) {
  const int64_t longer_ns = std::max(a_ns, b_ns);
  return longer_ns <= WorkWatch::kShortNs || longer_ns <= WorkWatch::kAlike * std::min(a_ns, b_ns);
}

}  // namespace

void WorkWatch::Request(uint32_t context, uint32_t correlation, SampleSchedule::Entry* entry,
                        int64_t now_ns) {
  Slot& slot = SlotOf(KeyOf(context, correlation));
  slot.launch.store(0, std::memory_order_release);
  slot.entry.store(entry, std::memory_order_release);
  slot.at_ns.store(now_ns, std::memory_order_release);
  slot.launch.store(KeyOf(context, correlation), std::memory_order_release);
}

void WorkWatch::Add(uint32_t context, uint32_t correlation, int64_t start_ns, int64_t end_ns) {
  const int64_t duration_ns = end_ns - start_ns;
  if (duration_ns <= 0) return;
  const uint64_t key = KeyOf(context, correlation);
  Slot& slot = SlotOf(key);
  if (slot.launch.load(std::memory_order_acquire) != key || key == 0) return;  // 0: no launch
  SampleSchedule::Entry* entry = slot.entry.load(std::memory_order_acquire);
  const int64_t at_ns = slot.at_ns.load(std::memory_order_acquire);
  // Another launch may have taken the slot between the loads.
  if (slot.launch.load(std::memory_order_acquire) != key) return;
  if (entry->timed_last.exchange(key, std::memory_order_relaxed) != key) {
    entry->timed_launches.fetch_add(1, std::memory_order_relaxed);
    entry->delay_ns.store(std::max<int64_t>(0, start_ns - at_ns), std::memory_order_relaxed);
  }
  const int64_t last_ns = entry->last_run_ns.exchange(duration_ns, std::memory_order_relaxed);
  entry->steady.store(last_ns != 0 && Alike(last_ns, duration_ns), std::memory_order_relaxed);
  entry->timed_ns.fetch_add(static_cast<uint64_t>(duration_ns), std::memory_order_relaxed);
}

}  // namespace prof::cupti
