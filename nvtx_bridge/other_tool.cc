// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <climits>
#include <cstring>

#include "nvtx_bridge/nvtx_status.h"

namespace prof::nvtx {
namespace {

char other_tool[PATH_MAX] = "";  // written before main()

}  // namespace

void SetOtherNvtxTool(const char* path) { std::strncpy(other_tool, path, sizeof(other_tool) - 1); }

const char* OtherNvtxTool() { return other_tool[0] != '\0' ? &other_tool[0] : nullptr; }

void* OtherToolsFunction(const char* name) {
  if (other_tool[0] == '\0') return nullptr;
  // As NVTX does it; never unloaded.
  void* library = dlopen(other_tool, RTLD_LAZY);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

}  // namespace prof::nvtx
