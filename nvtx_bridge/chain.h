// SPDX-License-Identifier: Apache-2.0
//
// The chain puts another tool's NVTX library beside ours: each call of the program goes to our
// handlers, then to the other tool. The program gets the other tool's return values, ids, handles.
#ifndef PROF_NVTX_BRIDGE_CHAIN_H_
#define PROF_NVTX_BRIDGE_CHAIN_H_

#include <nvtx3/nvToolsExt.h>

#include <cstdint>

namespace prof::nvtx {

// Keeps the pointer that the other tool has put into a slot. False: it has put another one into
// that slot in another library of the program, and then only it can be called there.
[[nodiscard]] bool KeepTheirs(NvtxCallbackModule module, unsigned int id,
                              NvtxFunctionPointer function);

// The handler for a slot that the other tool has filled; nullptr: no slot of ours.
[[nodiscard]] NvtxFunctionPointer ChainedHandler(NvtxCallbackModule module, unsigned int id);

// Our handle for a domain handle that the program has, which may be the other tool's.
[[nodiscard]] nvtxDomainHandle_t OurDomain(nvtxDomainHandle_t domain);

// The domain as the other tool knows it. The tool does not know our handles, which we give out
// where it has no slot; for those it is nullptr, the default domain.
[[nodiscard]] nvtxDomainHandle_t TheirDomain(nvtxDomainHandle_t domain);

// Remembers which of our ranges the other tool's id, which goes to the program, stands for; returns
// that id.
nvtxRangeId_t RememberRange(nvtxRangeId_t theirs, nvtxRangeId_t ours);
// Returns our id for the one that the program has, and forgets it. An unknown id is returned as it
// is while the other tool has given out none.
[[nodiscard]] nvtxRangeId_t TakeRange(nvtxRangeId_t id);

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_CHAIN_H_
