// SPDX-License-Identifier: Apache-2.0
//
// The NVTX status says which NVTX calls reach us, and which other tool gets them.
#ifndef PROF_NVTX_BRIDGE_NVTX_STATUS_H_
#define PROF_NVTX_BRIDGE_NVTX_STATUS_H_

namespace prof::nvtx {

// Whether at least one library of the program has attached its NVTX calls to us. False before the
// first NVTX call, so by itself no sign of trouble. Any thread.
bool NvtxAttached();

// Whether the NVTX calls of some library of the program go to the other tool alone: the tool has
// put other functions there than into the first library, and calls cannot be told apart. Any
// thread.
bool NvtxTheirsAlone();

// The library that NVTX_INJECTION64_PATH named when we came, when it is not ours: another tool's,
// which gets every call before us. nullptr: none. The text lives as long as the process. Any
// thread.
const char* OtherNvtxTool();

// Called by environment_hook.cc, before main().
void SetOtherNvtxTool(const char* path);

// The other tool's function `name`; nullptr: no other tool, or it cannot be loaded, or has no such
// function. Loads the tool: for NVTX's initialization only.
void* OtherToolsFunction(const char* name);

// Lives while the other tool's initialization runs on this thread. That may call us again, as
// another copy of prof does: then we are already being attached, and answer that we are not there.
class InOtherTool {
 public:
  InOtherTool() { inside = true; }
  ~InOtherTool() { inside = false; }
  InOtherTool(const InOtherTool&) = delete;
  InOtherTool& operator=(const InOtherTool&) = delete;
  static bool Inside() { return inside; }

 private:
  static thread_local bool inside;
};

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_NVTX_STATUS_H_
