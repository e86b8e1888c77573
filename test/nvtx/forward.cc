// SPDX-License-Identifier: Apache-2.0
//
// What the test names in NVTX_INJECTION64_PATH: hands NVTX on to the handlers in the program, so
// that the test can look into the recorder behind them.
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
