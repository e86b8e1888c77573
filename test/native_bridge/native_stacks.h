// SPDX-License-Identifier: Apache-2.0
//
// The stacks of a walker as text.
#ifndef PROF_TEST_NATIVE_BRIDGE_NATIVE_STACKS_H_
#define PROF_TEST_NATIVE_BRIDGE_NATIVE_STACKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/capture/threads/host_stacks.h"
#include "native_bridge/function_names.h"

namespace prof::native::test {

struct NamedFrame {
  std::string function, module, build_id;
  uint64_t offset = 0;
};

// The frames of a stack, the innermost first, with the names of their symbol tables.
inline std::vector<NamedFrame> FramesOf(capture::HostStacks* stacks, uint32_t id) {
  std::vector<NamedFrame> frames, found;
  std::vector<capture::HostStackEvent> nodes;
  FunctionNames names;
  capture::HostStacks::Seen seen;
  stacks->Read(
      &seen,
      [&](const capture::HostFrameEvent& frame) {
        std::string function(frame.function);
        if (function.empty()) {
          function = names.NameAt(std::string(frame.module), frame.build_id, frame.offset);
        }
        frames.push_back(
            {function, std::string(frame.module), std::string(frame.build_id), frame.offset});
      },
      [&](const capture::HostStackEvent& stack) { nodes.push_back(stack); });
  for (; id != 0; id = nodes[id - 1].parent) found.push_back(frames[nodes[id - 1].frame - 1]);
  return found;
}

// "made_middle made_outer ...": the innermost `most` functions.
inline std::string FunctionsOf(capture::HostStacks* stacks, uint32_t id, size_t most) {
  std::string text;
  for (const NamedFrame& frame : FramesOf(stacks, id)) {
    if (most-- == 0) break;
    text += (frame.function.empty() ? "?" : frame.function) + " ";
  }
  return text;
}

}  // namespace prof::native::test

#endif  // PROF_TEST_NATIVE_BRIDGE_NATIVE_STACKS_H_
