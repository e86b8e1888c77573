// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/other_tool.h"

#include <dlfcn.h>

#include <climits>
#include <cstring>

namespace prof::nvtx {
namespace {

char other_tool[PATH_MAX] = "";  // written before main()

}  // namespace

thread_local bool InOtherTool::inside = false;

void SetOtherNvtxTool(const char* path) { std::strncpy(other_tool, path, sizeof(other_tool) - 1); }

const char* OtherNvtxTool() { return other_tool[0] != '\0' ? &other_tool[0] : nullptr; }

void* OtherToolsFunction(const char* name) {
  if (other_tool[0] == '\0') return nullptr;
  // Loaded as NVTX does it, and never unloaded.
  void* library = dlopen(other_tool, RTLD_LAZY);
  void* function = library != nullptr ? dlsym(library, name) : nullptr;
  Dl_info ours{}, theirs{};
  // Our own library, under a name that the environment hook did not know.
  const bool is_ours = function != nullptr &&
                       dladdr(reinterpret_cast<const void*>(&OtherToolsFunction), &ours) != 0 &&
                       dladdr(function, &theirs) != 0 && ours.dli_fbase == theirs.dli_fbase;
  return is_ours ? nullptr : function;
}

}  // namespace prof::nvtx
