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

struct Libdw {
#define PROF_LIBDW_FUNCTION(name) decltype(&::name) name = nullptr
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
};

// nullptr: it is not installed, or lacks one of them. The library stays loaded.
[[nodiscard]] const Libdw* LoadLibdw();

}  // namespace prof::symbols
#endif

#endif  // PROF_LIB_SYMBOLS_LIBDW_H_
