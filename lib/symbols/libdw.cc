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
#define PROF_LIBDW_FUNCTION(name) all = Get(library, #name, &libdw.name) && all
  PROF_LIBDW_FUNCTION(dwarf_begin);
  PROF_LIBDW_FUNCTION(dwarf_end);
  PROF_LIBDW_FUNCTION(dwarf_getelf);
  PROF_LIBDW_FUNCTION(dwelf_elf_gnu_build_id);
  PROF_LIBDW_FUNCTION(dwarf_addrdie);
  PROF_LIBDW_FUNCTION(dwarf_nextcu);
  PROF_LIBDW_FUNCTION(dwarf_offdie);
  PROF_LIBDW_FUNCTION(dwarf_haspc);
  PROF_LIBDW_FUNCTION(dwarf_getsrc_die);
  PROF_LIBDW_FUNCTION(dwarf_linesrc);
  PROF_LIBDW_FUNCTION(dwarf_lineno);
  PROF_LIBDW_FUNCTION(dwarf_getscopes);
  PROF_LIBDW_FUNCTION(dwarf_getscopes_die);
  PROF_LIBDW_FUNCTION(dwarf_tag);
  PROF_LIBDW_FUNCTION(dwarf_attr);
  PROF_LIBDW_FUNCTION(dwarf_attr_integrate);
  PROF_LIBDW_FUNCTION(dwarf_formstring);
  PROF_LIBDW_FUNCTION(dwarf_formudata);
  PROF_LIBDW_FUNCTION(dwarf_getsrcfiles);
  PROF_LIBDW_FUNCTION(dwarf_filesrc);
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
