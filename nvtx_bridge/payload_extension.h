// SPDX-License-Identifier: Apache-2.0
//
// The payload extension of NVTX has ranges and marks whose payloads have schemas, and whose names
// are in the payloads. Both are not read, but counted. The ranges and marks themselves are
// recorded.
#ifndef PROF_NVTX_BRIDGE_PAYLOAD_EXTENSION_H_
#define PROF_NVTX_BRIDGE_PAYLOAD_EXTENSION_H_

#include <nvtx3/nvToolsExtPayload.h>

// NVTX looks it up by name for each of its extensions, of which we know the payloads. Returns 0
// when neither we nor the other tool knows the extension.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t* module);

#endif  // PROF_NVTX_BRIDGE_PAYLOAD_EXTENSION_H_
