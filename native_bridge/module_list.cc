// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/module_list.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "native_bridge/build_id.h"

namespace prof::native {
namespace {

// What is copied while the loader's lock is held: nothing that allocates.
struct Found {
  uintptr_t pc = 0;
  bool any = false;
  uintptr_t begin = 0, end = 0, bias = 0;
  uint64_t unloaded = 0;
  char path[PATH_MAX] = {};
  uint8_t build_id[kMostBuildId] = {};
  size_t build_id_bytes = 0;
};

// The loader maps PT_LOAD alone: whether a note is in one is up to whoever made the file.
bool IsLoaded(const dl_phdr_info& info, const ElfW(Phdr) & note) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && (part.p_flags & PF_R) != 0 && note.p_vaddr >= part.p_vaddr &&
        note.p_filesz <= part.p_filesz &&
        note.p_vaddr - part.p_vaddr <= part.p_filesz - note.p_filesz) {
      return true;
    }
  }
  return false;
}

int Look(dl_phdr_info* info, size_t /*bytes*/, void* data) {
  auto* const found = static_cast<Found*>(data);
  found->unloaded = info->dlpi_subs;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || found->pc < begin || found->pc - begin >= part.p_memsz) continue;
    found->any = true;
    found->begin = begin;
    found->end = begin + part.p_memsz;
    found->bias = info->dlpi_addr;
    if (info->dlpi_name != nullptr) {
      std::strncpy(found->path, info->dlpi_name, sizeof(found->path) - 1);
    }
  }
  if (!found->any) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE || !IsLoaded(*info, part)) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives numbers
    const auto* const notes = reinterpret_cast<const uint8_t*>(info->dlpi_addr + part.p_vaddr);
    found->build_id_bytes = FindBuildId(notes, part.p_filesz, found->build_id);
    if (found->build_id_bytes != 0) break;
  }
  return 1;
}

int CountUnloaded(dl_phdr_info* info, size_t /*bytes*/, void* data) {
  *static_cast<uint64_t*>(data) = info->dlpi_subs;
  return 1;
}

// The path of the program where the loader has no name for it; a path that stays right when the
// program changes its folder.
std::string FullPath(const char* name) {
  char path[PATH_MAX];
  if (name[0] == '\0') {
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
    return length > 0 ? std::string(path, static_cast<size_t>(length)) : std::string();
  }
  if (realpath(name, path) != nullptr) return path;
  return name[0] == '/' ? name : "";  // "linux-vdso.so.1" is no file
}

}  // namespace

// A module's parts are neighbours: each is met by itself.
std::shared_ptr<const Module> ModuleList::Find(uintptr_t pc) {
  {
    const capture::MutexLock lock(mutex_);
    for (const std::shared_ptr<const Module>& module : modules_) {
      if (pc >= module->begin && pc < module->end) return module;
    }
  }
  const auto found = std::make_unique<Found>();  // 4 KiB: not on a stack that may be small
  found->pc = pc;
  dl_iterate_phdr(&Look, found.get());
  if (!found->any) return nullptr;
  auto module = std::make_shared<Module>();
  module->begin = found->begin;
  module->end = found->end;
  module->bias = found->bias;
  module->path = FullPath(found->path);
  module->build_id = HexOf(found->build_id, found->build_id_bytes);
  const capture::MutexLock lock(mutex_);
  if (found->unloaded == unloaded_) modules_.push_back(module);
  return module;
}

bool ModuleList::Refresh() {
  uint64_t unloaded = 0;
  dl_iterate_phdr(&CountUnloaded, &unloaded);
  const capture::MutexLock lock(mutex_);
  if (unloaded == unloaded_) return false;
  unloaded_ = unloaded;
  modules_.clear();
  generation_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

}  // namespace prof::native
