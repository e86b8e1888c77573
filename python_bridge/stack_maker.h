// SPDX-License-Identifier: Apache-2.0
//
// The stack maker turns the frames that a walk has found into a stack of capture::HostStacks. It
// remembers the stacks and the lines that it has made.
#ifndef PROF_PYTHON_BRIDGE_STACK_MAKER_H_
#define PROF_PYTHON_BRIDGE_STACK_MAKER_H_

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "lib/capture/process/mutex.h"
#include "lib/capture/threads/host_stacks.h"
#include "python_bridge/code_reader.h"
#include "python_bridge/frame_walk.h"
#include "python_bridge/python_layout.h"

namespace prof::python {

// Stands for a stack that has no room, so that each of its calls is counted.
constexpr uint32_t kNoRoom = UINT32_MAX;

// Frames, from the innermost to the outermost.
struct Frames {
  struct Frame {
    uintptr_t code = 0, instruction = 0;
    uint64_t mark = 0;  // tells the code from other code that was at its address
  };
  Frame frame[kMostDepth];
  uint32_t count = 0;
  bool cut = false;  // there are more
};

// Any thread; a short lock.
class StackMaker {
 public:
  StackMaker(const PythonSymbols& python, const PythonLayout& layout, capture::HostStacks* stacks)
      : reader_(python, layout), stacks_(stacks) {}

  // The stack of these frames, which have this hash; kNoRoom: it has no room. A stack that is new
  // takes 5 us for each line that is new, and may allocate.
  uint32_t StackOf(uint64_t hash, const Frames& frames);
  // The same, of a hash that was made before.
  [[nodiscard]] std::optional<uint32_t> Known(uint64_t hash);

  // Whether code and line of all frames can be read.
  [[nodiscard]] bool CanRead(const Frames& frames) const;

 private:
  struct LineKey {
    uintptr_t code = 0, instruction = 0;
    uint64_t mark = 0;
    bool operator==(const LineKey& other) const {
      return code == other.code && instruction == other.instruction && mark == other.mark;
    }
  };
  struct LineHash {
    size_t operator()(const LineKey& key) const {
      return (key.code * 31 + key.instruction) * 0x9e3779b97f4a7c15 ^ key.mark;
    }
  };

  uint32_t Make(const Frames& frames);
  uint32_t FrameOf(const Frames::Frame& frame);

  const CodeReader reader_;
  capture::HostStacks* const stacks_;

  capture::Mutex mutex_;
  // Caches: what they forget is made again.
  std::unordered_map<LineKey, uint32_t, LineHash> lines_ PROF_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, uint32_t> by_hash_ PROF_GUARDED_BY(mutex_);
};

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_STACK_MAKER_H_
