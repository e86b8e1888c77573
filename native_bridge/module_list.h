// SPDX-License-Identifier: Apache-2.0
//
// The module list has the program and the shared libraries that the process has loaded: which one
// an instruction is in, and where.
#ifndef PROF_NATIVE_BRIDGE_MODULE_LIST_H_
#define PROF_NATIVE_BRIDGE_MODULE_LIST_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/capture/process/mutex.h"

namespace prof::native {

struct Module {
  uintptr_t begin = 0, end = 0, bias = 0;  // an address less `bias` is that of the file
  std::string path;      // as it was when the module was met; empty: it has no file
  std::string build_id;  // hexadecimal; empty: it has none
};

// Any thread.
class ModuleList {
 public:
  // The module of an instruction; nullptr: it is in none (code that the program made). It may
  // allocate, and takes the loader's lock for the list, which is not held while constructors run.
  [[nodiscard]] std::shared_ptr<const Module> Find(uintptr_t pc);

  // Counts the times that modules were unloaded; their addresses may have other code now.
  [[nodiscard]] uint32_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Asks the loader. True: a module was unloaded since the last time.
  bool Refresh();

 private:
  std::atomic<uint32_t> generation_{0};
  capture::Mutex mutex_;
  uint64_t unloaded_ PROF_GUARDED_BY(mutex_) = 0;  // as the loader counts
  std::vector<std::shared_ptr<const Module>> modules_ PROF_GUARDED_BY(mutex_);
};

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_MODULE_LIST_H_
