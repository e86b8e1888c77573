// SPDX-License-Identifier: Apache-2.0
//
// The other tool is the NVTX library that the environment named when we came. It gets every call
// of the program after us.
#ifndef PROF_NVTX_BRIDGE_OTHER_TOOL_H_
#define PROF_NVTX_BRIDGE_OTHER_TOOL_H_

namespace prof::nvtx {

// The library that NVTX_INJECTION64_PATH named when we came, when it is not ours. nullptr: none.
// The text lives as long as the process. Any thread.
[[nodiscard]] const char* OtherNvtxTool();

// Called by environment_hook.cc, before main().
void SetOtherNvtxTool(const char* path);

// The other tool's function `name`; nullptr: no other tool, or it cannot be loaded, or has no such
// function. Loads the tool: for NVTX's initialization only.
[[nodiscard]] void* OtherToolsFunction(const char* name);

// Lives while the other tool's initialization runs on this thread. That may call us again, as
// another copy of prof does: then we are already being attached, and answer that we are not there.
class InOtherTool {
 public:
  InOtherTool() { inside = true; }
  ~InOtherTool() { inside = false; }
  InOtherTool(const InOtherTool&) = delete;
  InOtherTool& operator=(const InOtherTool&) = delete;
  [[nodiscard]] static bool Inside() { return inside; }

 private:
  static thread_local bool inside;
};

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_OTHER_TOOL_H_
