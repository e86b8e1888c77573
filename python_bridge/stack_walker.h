// SPDX-License-Identifier: Apache-2.0
//
// The stack walker gives the stack of Python frames that the calling thread is in, as an id of
// capture::HostStacks.
#ifndef PROF_PYTHON_BRIDGE_STACK_WALKER_H_
#define PROF_PYTHON_BRIDGE_STACK_WALKER_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "lib/capture/threads/host_stacks.h"
#include "python_bridge/code_reader.h"
#include "python_bridge/frame_walk.h"
#include "python_bridge/python_layout.h"
#include "python_bridge/stack_maker.h"

namespace prof::python {

// One for an interpreter, for the life of the process. `maker` outlives it.
class StackWalker {
 public:
  StackWalker(const PythonSymbols& python, const PythonLayout& layout, StackMaker* maker);

  // Any thread: its stack; kNoStack: it has no Python frames, or there was no room (counted in
  // dropped()), or its frames cannot be read. A stack that is in `cache` costs some nanoseconds and
  // one to three for each frame, and neither locks nor allocates. The first walk checks that the
  // layout is right; where it is not, no stack is read any more.
  uint32_t Walk(capture::StackCache* cache) noexcept;

  // Why stacks cannot be read; empty: they can, as far as is known.
  [[nodiscard]] std::string problem() const;
  // Calls whose stack had no room.
  [[nodiscard]] uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  enum class State : uint8_t { kNotTested, kWorks, kBroken };

  // A hash of all frames that are kept; 0: there are none.
  using HashFrames = uint64_t (*)(const PythonLayout& layout, uintptr_t thread_state);
  static HashFrames HashFor(const PythonLayout& layout);

  bool Test(uintptr_t thread_state);
  uint32_t Find(uintptr_t thread_state, uint64_t hash);

  const PythonLayout layout_;
  const HashFrames hash_frames_;
  const CodeReader reader_;
  StackMaker* const maker_;
  void* (*const this_thread_state_)();
  std::atomic<State> state_{State::kNotTested};
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_STACK_WALKER_H_
