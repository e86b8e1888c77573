// SPDX-License-Identifier: Apache-2.0
//
// NVTX looks up these injection entries by name, once in each library of the program that uses it.
#ifndef PROF_NVTX_BRIDGE_INJECTION_H_
#define PROF_NVTX_BRIDGE_INJECTION_H_

#include <nvtx3/nvToolsExt.h>

extern "C" {
// NVTX 3. Calls the other tool, if there is one (chain.h), then puts our handlers into the table
// behind `get_export_table`. Returns 1; 0 when the table is none that we know, and NVTX then does
// nothing in that library. Any thread, any number of times.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table);
// InitializeInjectionNvtx2 for the library of NVTX 1 and 2.
__attribute__((visibility("default"))) int InitializeInjectionNvtx(
    NvtxGetExportTableFunc_t get_export_table);
}

namespace prof::nvtx {

// Whether at least one library of the program has attached its NVTX calls to us. False before the
// first NVTX call, so by itself no sign of trouble. Any thread.
[[nodiscard]] bool NvtxAttached();

// Whether the NVTX calls of some library of the program go to the other tool alone: the tool has
// put other functions there than into the first library, and it is not known which of them to call.
// Any thread.
[[nodiscard]] bool NvtxCallsBypassUs();

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_INJECTION_H_
