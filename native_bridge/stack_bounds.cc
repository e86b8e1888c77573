// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/stack_bounds.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "lib/capture/process/own_memory.h"
#include "lib/capture/process/thread_id.h"

namespace prof::native {
namespace {

constexpr uintptr_t kPage = 4096;
// A stack of main() that goes deeper is read through the kernel.
constexpr uintptr_t kMostMainStack = uintptr_t{64} << 20;

std::atomic<uintptr_t> main_stack_end{0};

// Initial-exec, as in thread_registry.h: no call into the loader during a launch. All zero: nobody
// has looked yet.
__thread StackBounds own_stack __attribute__((tls_model("initial-exec")));
// Somebody looked, in vain. It has nothing in it.
constexpr StackBounds kUnknownStack = {1, 1};

// Whether all pages from `low` up to `high` are there. A stack of main() has no page in it that
// cannot be read, and nothing lies directly below it: the kernel keeps a gap there.
bool IsThere(uintptr_t low, uintptr_t high) {
  constexpr size_t kPages = 512;  // asked for at a time
  unsigned char pages[kPages];
  for (; low < high; low += kPages * kPage) {
    const size_t bytes = std::min<uintptr_t>(high - low, kPages * kPage);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel finds out whether it is a pointer
    if (mincore(reinterpret_cast<void*>(low), bytes, pages) != 0) return false;
  }
  return true;
}

StackBounds FindMain(uintptr_t sp) {
  const uintptr_t high = main_stack_end.load(std::memory_order_acquire) & ~(sizeof(uintptr_t) - 1);
  const uintptr_t low = sp & ~(kPage - 1);
  if (sp >= high || high - low > kMostMainStack) return {};
  const int error = errno;
  const bool there = IsThere(low, high);
  errno = error;
  return there ? StackBounds{low, high} : StackBounds{};
}

StackBounds FindThread() {
  StackBounds bounds;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    bounds = {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + bytes};
  }
  pthread_attr_destroy(&attributes);
  return bounds;
}

struct Buffer {
  std::atomic<bool> taken{false};
  alignas(16) char bytes[StackCopy::kBytes];
};
std::array<Buffer, 4> buffers;

}  // namespace

void FindMainStack() {
  const auto* const end = static_cast<void* const*>(dlsym(RTLD_DEFAULT, "__libc_stack_end"));
  if (end == nullptr) return;
  main_stack_end.store(reinterpret_cast<uintptr_t>(*end), std::memory_order_release);
}

StackBounds OwnStack(uintptr_t sp) {
  if (own_stack.Has(sp)) return own_stack;
  const bool is_main = capture::CurrentThreadId() == static_cast<uint32_t>(getpid());
  if (is_main) {
    const StackBounds found = FindMain(sp);
    if (found.high != 0) own_stack = found;
    return found;
  }
  if (own_stack.high != 0) return {};
  own_stack = FindThread();
  if (own_stack.high == 0) own_stack = kUnknownStack;
  return own_stack.Has(sp) ? own_stack : StackBounds{};
}

StackCopy::StackCopy(uintptr_t sp) : sp_(sp) {
  for (buffer_ = 0; buffer_ < buffers.size(); ++buffer_) {
    Buffer& buffer = buffers[buffer_];
    if (buffer.taken.exchange(true, std::memory_order_acquire)) continue;
    bytes_ = capture::ReadOwnPart(sp, buffer.bytes, kBytes);
    copy_ = buffer.bytes;
    return;
  }
}

StackCopy::~StackCopy() {
  if (copy_ != nullptr) buffers[buffer_].taken.store(false, std::memory_order_release);
}

}  // namespace prof::native
