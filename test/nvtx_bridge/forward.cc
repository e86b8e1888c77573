// SPDX-License-Identifier: Apache-2.0
//
// This library passes NVTX on to the handlers in the program, so that the test can read the
// recorder behind them. The test names it in NVTX_INJECTION64_PATH.
#include <dlfcn.h>
#include <nvtx3/nvToolsExtPayload.h>

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  // The program comes first in the global scope, so this is its function and not this one.
  void* program = dlsym(RTLD_DEFAULT, "InitializeInjectionNvtx2");
  return reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(program)(get_export_table);
}

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t* module) {
  void* program = dlsym(RTLD_DEFAULT, "InitializeInjectionNvtxExtension");
  return reinterpret_cast<NvtxExtInitializeInjectionFunc_t>(program)(module);
}
