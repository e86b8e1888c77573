// SPDX-License-Identifier: Apache-2.0
//
// The entries that NVTX looks up by name, once in each library of the program that uses it.
#ifndef PROF_NVTX_BRIDGE_INJECTION_H_
#define PROF_NVTX_BRIDGE_INJECTION_H_

#include <nvtx3/nvToolsExtPayload.h>

extern "C" {
// NVTX 3. Calls the other tool, if there is one (chain.h), then puts our handlers into the table
// behind `get_export_table`. Returns 1; 0 when the table is none that we know, and NVTX then does
// nothing in that library. Any thread, any number of times.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table);
// The same for the NVTX 1 and 2 library.
__attribute__((visibility("default"))) int InitializeInjectionNvtx(
    NvtxGetExportTableFunc_t get_export_table);
// NVTX's extensions: we know that of payloads. 0: one that neither we nor the other tool knows.
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t* module);
}

#endif  // PROF_NVTX_BRIDGE_INJECTION_H_
