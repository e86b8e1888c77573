// SPDX-License-Identifier: Apache-2.0
//
// The payload extension of NVTX has schemas, and ranges and marks whose payloads have one. Numbers
// are recorded (payload_schemas.h); the names of such ranges are in the payloads, and are not.
#ifndef PROF_NVTX_BRIDGE_PAYLOAD_EXTENSION_H_
#define PROF_NVTX_BRIDGE_PAYLOAD_EXTENSION_H_

#include <nvtx3/nvToolsExtPayload.h>

// NVTX looks it up by name for each of its extensions, of which we know the payloads. Returns 0
// when neither we nor the other tool knows the extension.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t* module);

#endif  // PROF_NVTX_BRIDGE_PAYLOAD_EXTENSION_H_
