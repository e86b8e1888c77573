// SPDX-License-Identifier: Apache-2.0
//
// The stack bounds are the part of memory in which a walk of the calling thread may read.
#ifndef PROF_NATIVE_BRIDGE_STACK_BOUNDS_H_
#define PROF_NATIVE_BRIDGE_STACK_BOUNDS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::native {

struct StackBounds {
  uintptr_t low = 0, high = 0;  // high: behind the last byte

  [[nodiscard]] bool Has(uintptr_t address) const { return address >= low && address < high; }
  // Loads a word. False: it is not within the bounds.
  bool operator()(uintptr_t address, uintptr_t* value) const {
    if (address < low || address > high - sizeof(*value)) return false;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a place of the stack
    std::memcpy(value, reinterpret_cast<const void*>(address), sizeof(*value));
    return true;
  }
};

// Before the first call of OwnStack(), on any thread: looks up where the stack of main() begins.
void FindMainStack();

// The stack that the system gave the calling thread, as far as it is there now; empty where `sp` is
// not in it: the program has switched to a stack of its own (a coroutine, a signal handler with
// another stack). The first call of a thread may allocate; one in a deeper frame of the main thread
// asks the kernel; others take a nanosecond.
[[nodiscard]] StackBounds OwnStack(uintptr_t sp);

// A copy of the stack from `sp` on, read through the kernel: for stacks whose bounds nobody knows.
class StackCopy {
 public:
  static constexpr size_t kBytes = size_t{16} << 10;

  explicit StackCopy(uintptr_t sp);
  ~StackCopy();
  StackCopy(const StackCopy&) = delete;
  StackCopy& operator=(const StackCopy&) = delete;

  bool operator()(uintptr_t address, uintptr_t* value) const {
    if (bytes_ < sizeof(*value) || address < sp_ || address - sp_ > bytes_ - sizeof(*value)) {
      return false;
    }
    std::memcpy(value, copy_ + (address - sp_), sizeof(*value));
    return true;
  }

 private:
  const uintptr_t sp_;
  const char* copy_ = nullptr;  // not on this stack, which may be small; nullptr: none was free
  size_t bytes_ = 0;
  size_t buffer_ = 0;
};

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_STACK_BOUNDS_H_
