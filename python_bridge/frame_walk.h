// SPDX-License-Identifier: Apache-2.0
//
// The frame walk goes over the calling thread's own Python frames, from the innermost to the
// outermost. The thread is inside a call that these frames made, so nobody else changes or frees
// them, whether or not the thread holds the GIL.
#ifndef PROF_PYTHON_BRIDGE_FRAME_WALK_H_
#define PROF_PYTHON_BRIDGE_FRAME_WALK_H_

#include <cstdint>
#include <cstring>

#include "python_bridge/python_layout.h"

namespace prof::python {

// Frames beyond the innermost ones of a stack are left out.
constexpr uint32_t kMostDepth = 128;
// Also of the interpreter's own frames, which are no part of a stack.
constexpr uint32_t kMostSteps = 4 * kMostDepth;

template <typename Value>
Value LoadAt(uintptr_t address) {
  Value value;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python's structs are read by their offsets
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
  return value;
}

// Calls `visit(code, instruction)` for each frame; it returns whether to go on. True: the walk came
// to the outermost frame. `load(address, &value)` reads memory and returns whether it could.
template <typename Load, typename Visit>
bool WalkFrames(const PythonLayout& layout, uintptr_t thread_state, const Load& load,
                const Visit& visit) {
  uintptr_t frame = 0;
  if (!load(thread_state + layout.state_to_frame, &frame)) return false;
  if (layout.cframe_to_frame != kNoOffset &&
      (frame == 0 || !load(frame + layout.cframe_to_frame, &frame))) {
    return frame == 0;
  }
  for (uint32_t steps = 0; frame != 0; ++steps) {
    if (steps == kMostSteps) return false;
    uintptr_t code = 0, instruction = 0;
    uint8_t owner = 0;
    if (layout.frame_owner != kNoOffset && !load(frame + layout.frame_owner, &owner)) return false;
    if (owner < layout.first_shim) {
      if (!load(frame + layout.frame_code, &code)) return false;
      code &= ~layout.code_flags;
      if (layout.counts_units) {
        int32_t units = 0;
        if (!load(frame + layout.frame_instruction, &units)) return false;
        instruction = static_cast<uint32_t>(units);
      } else if (!load(frame + layout.frame_instruction, &instruction)) {
        return false;
      }
      if (!visit(code, instruction)) return false;
    }
    if (!load(frame + layout.frame_previous, &frame)) return false;
  }
  return true;
}

// What tells a code object from others that were at its address before: its version, or what its
// name, lines and first line are.
inline uint64_t CodeMark(const PythonLayout& layout, uintptr_t code) {
  if (layout.code_version != kNoOffset) return LoadAt<uint32_t>(code + layout.code_version);
  const auto name = LoadAt<uintptr_t>(code + layout.code_name);
  const auto lines = LoadAt<uintptr_t>(code + layout.code_lines);
  uint64_t mark = LoadAt<uint32_t>(code + layout.code_first_line);
  mark = mark << 32 ^ LoadAt<uintptr_t>(code + layout.code_file);
  mark = (mark ^ LoadAt<uint64_t>(name + kTextHash)) * 0x9e3779b97f4a7c15;
  mark ^= LoadAt<uint64_t>(lines + kBytesSize) << 40 ^ LoadAt<uint64_t>(lines + kBytesData);
  return mark;
}

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_FRAME_WALK_H_
