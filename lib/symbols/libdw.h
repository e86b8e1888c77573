// SPDX-License-Identifier: Apache-2.0
//
// The functions of elfutils that prof calls, found when they are needed.
#ifndef PROF_LIB_SYMBOLS_LIBDW_H_
#define PROF_LIB_SYMBOLS_LIBDW_H_

#if defined(PROF_WITH_LIBDW)
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>

namespace prof::symbols {

#define PROF_LIBDW_FUNCTIONS(X) \
  X(dwarf_begin)                \
  X(dwarf_end)                  \
  X(dwarf_getelf)               \
  X(dwelf_elf_gnu_build_id)     \
  X(dwarf_addrdie)              \
  X(dwarf_nextcu)               \
  X(dwarf_offdie)               \
  X(dwarf_haspc)                \
  X(dwarf_getsrc_die)           \
  X(dwarf_linesrc)              \
  X(dwarf_lineno)               \
  X(dwarf_getscopes)            \
  X(dwarf_getscopes_die)        \
  X(dwarf_tag)                  \
  X(dwarf_attr)                 \
  X(dwarf_attr_integrate)       \
  X(dwarf_formstring)           \
  X(dwarf_formudata)            \
  X(dwarf_getsrcfiles)          \
  X(dwarf_filesrc)

struct Libdw {
#define PROF_LIBDW_FUNCTION(name) decltype(&::name) name = nullptr;
  PROF_LIBDW_FUNCTIONS(PROF_LIBDW_FUNCTION)
#undef PROF_LIBDW_FUNCTION
};

// nullptr: it is not installed, or lacks one of them. The library stays loaded.
[[nodiscard]] const Libdw* LoadLibdw();

}  // namespace prof::symbols
#endif

#endif  // PROF_LIB_SYMBOLS_LIBDW_H_
