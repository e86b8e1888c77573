// SPDX-License-Identifier: Apache-2.0
#include "lib/symbols/libdw.h"

#if defined(PROF_WITH_LIBDW)
#include <dlfcn.h>

namespace prof::symbols {
namespace {

template <typename Function>
bool Get(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

const Libdw* Load() {
  void* const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static Libdw libdw;
  bool all = true;
#define PROF_LIBDW_FUNCTION(name) all = Get(library, #name, &libdw.name) && all;
  PROF_LIBDW_FUNCTIONS(PROF_LIBDW_FUNCTION)
#undef PROF_LIBDW_FUNCTION
  return all ? &libdw : nullptr;
}

}  // namespace

const Libdw* LoadLibdw() {
  static const Libdw* const libdw = Load();
  return libdw;
}

}  // namespace prof::symbols
#endif
