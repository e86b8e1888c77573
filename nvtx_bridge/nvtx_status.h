// SPDX-License-Identifier: Apache-2.0
//
// Whether NVTX calls reach us, for Session's status.
#ifndef PROF_NVTX_BRIDGE_NVTX_STATUS_H_
#define PROF_NVTX_BRIDGE_NVTX_STATUS_H_

namespace prof::nvtx {

// At least one library of the program has attached its NVTX calls to us. False before the first
// NVTX call, so by itself no sign of trouble. Any thread.
bool NvtxAttached();

// A library of the program has NVTX calls that go to the other tool alone: the tool has put other
// functions there than into the first library, and its calls cannot be told apart. Any thread.
bool NvtxTheirsAlone();

// The library that NVTX_INJECTION64_PATH named when we came, when it is not ours: another tool's,
// which gets every call before us. nullptr: none. The text lives as long as the process. Any
// thread.
const char* OtherNvtxTool();

// By environment_hook.cc, before main().
void SetOtherNvtxTool(const char* path);

// Its function `name`; nullptr: no other tool, or it cannot be loaded, or has no such function.
// Loads the tool: for NVTX's initialization only.
void* OtherToolsFunction(const char* name);

// While the other tool's initialization runs on this thread. It may lead back to us, as another
// copy of prof does: then we are already being attached, and say that we are not there.
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
