// SPDX-License-Identifier: Apache-2.0
//
// The native walker gives the stack of native frames that the calling thread is in, as an id of
// capture::HostStacks. The frames at its top that belong to prof, CUPTI and CUDA are left out.
#ifndef PROF_NATIVE_BRIDGE_NATIVE_WALKER_H_
#define PROF_NATIVE_BRIDGE_NATIVE_WALKER_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "lib/capture/process/mutex.h"
#include "lib/capture/threads/host_stacks.h"
#include "native_bridge/module_list.h"
#include "native_bridge/native_walk.h"
#include "native_bridge/rule_table.h"

namespace prof::native {

// One for a process, for its life.
class NativeWalker {
 public:
  NativeWalker(RuleTable* rules, capture::HostStacks* stacks) : rules_(rules), stacks_(stacks) {}

  // Any thread: its stack; kNoStack: no frame of the program could be read, or there was no room
  // (counted in dropped()). A stack that is in `cache` costs some ten nanoseconds and three for
  // each frame, and neither locks nor allocates. On a stack that the program has made itself it
  // takes a call of the kernel more.
  uint32_t Walk(capture::StackCache* cache) noexcept;

  // Looks whether libraries were unloaded: what is known of their addresses is forgotten then. The
  // collector, in each of its rounds.
  void Refresh();

  // Why stacks cannot be read; empty: they can, as far as is known.
  [[nodiscard]] std::string problem() const;
  // Calls whose stack had no room.
  [[nodiscard]] uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void WalkFrom(const FrameRegisters& at, Stack* stack);
  uint32_t Find(const FrameRegisters& at, Stack* stack);
  uint32_t Make(const Stack& stack);
  uint32_t FrameOf(uintptr_t pc, bool* hidden);
  uint32_t Named(const char* name, uint32_t parent);

  RuleTable* const rules_;
  capture::HostStacks* const stacks_;
  ModuleList modules_;

  capture::Mutex mutex_;
  struct Known {
    uint32_t frame = 0;
    bool hidden = false;
  };
  // Caches: what they forget is made again.
  std::unordered_map<uintptr_t, Known> frames_ PROF_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, uint32_t> by_hash_ PROF_GUARDED_BY(mutex_);
  uint32_t known_generation_ PROF_GUARDED_BY(mutex_) = 0;

  std::atomic<uint64_t> dropped_{0}, made_{0}, empty_{0};
};

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_NATIVE_WALKER_H_
