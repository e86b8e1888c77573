// SPDX-License-Identifier: Apache-2.0
//
// Own memory is read through the kernel where an address may be wrong: the answer is then "no"
// instead of a crash.
#ifndef PROF_LIB_CAPTURE_PROCESS_OWN_MEMORY_H_
#define PROF_LIB_CAPTURE_PROCESS_OWN_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace prof::capture {

// Copies `bytes` bytes of this process from `from`. False: they cannot all be read, or the system
// does not allow process_vm_readv (a seccomp filter). Any thread; about 0.5 us; leaves errno as it
// was.
[[nodiscard]] bool ReadOwnMemory(uintptr_t from, void* to, size_t bytes);

// Copies as many of these bytes as can be read, from the first one on, and returns their number.
[[nodiscard]] size_t ReadOwnPart(uintptr_t from, void* to, size_t bytes);

template <typename Value>
[[nodiscard]] bool ReadOwn(uintptr_t from, Value* value) {
  return ReadOwnMemory(from, value, sizeof(*value));
}

// A piece of this process's memory, and where its copy goes.
struct OwnPiece {
  uintptr_t from = 0;
  void* to = nullptr;
  size_t bytes = 0;
};
constexpr size_t kMostPieces = 1024;  // IOV_MAX

// Copies at most kMostPieces pieces in one call of the kernel, one after another in some ten
// nanoseconds each. False: not all of them can be read.
[[nodiscard]] bool ReadOwnPieces(const OwnPiece* pieces, size_t count);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_OWN_MEMORY_H_
