// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/rule_table.h"

#include <optional>

namespace prof::native {

[[gnu::noinline]] UnwindRule RuleTable::Read(uintptr_t pc, uint64_t key) {
  const UnwindRule rule = ReadUnwindRule(pc);
  const std::optional<uint64_t> bits = PackRule(rule);
  if (!bits) return {};
  const capture::MutexLock lock(mutex_);
  const size_t at = SlotOf(key);
  Slot& free = slots_[at].key.load(std::memory_order_relaxed) == 0 ? slots_[at] : slots_[at ^ 1];
  free.key.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  free.rule.store(*bits, std::memory_order_release);
  free.key.store(key, std::memory_order_release);
  return rule;
}

}  // namespace prof::native
