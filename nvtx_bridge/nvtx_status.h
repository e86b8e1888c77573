// SPDX-License-Identifier: Apache-2.0
//
// Whether NVTX calls reach us, for Session's status.
#ifndef PROF_NVTX_BRIDGE_NVTX_STATUS_H_
#define PROF_NVTX_BRIDGE_NVTX_STATUS_H_

namespace prof::nvtx {

// At least one library of the program has attached its NVTX calls to us. False before the first
// NVTX call, so by itself no sign of trouble. Any thread.
bool NvtxAttached();

// The library that NVTX_INJECTION64_PATH named, and still gets NVTX's calls, when it is not ours:
// another tool's. nullptr: none. The text lives as long as the process. Any thread.
const char* OtherNvtxTool();

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_NVTX_STATUS_H_
