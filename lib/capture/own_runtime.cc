// SPDX-License-Identifier: Apache-2.0
//
// libprof.so brings a C++ runtime of its own. This file fits it to the program. It is a part of
// libprof.so alone, and everything in it is hidden.
//
// Memory is the program's operator new. The program frees the strings that the API returns, and
// prof frees those that it was given: both must use one allocator, which may be another one than
// malloc (AddressSanitizer's, a library's, the program's own).
//
// Nothing of the runtime is destroyed at exit, because threads of prof still run then.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

using Take = void* (*)(size_t, const std::nothrow_t&);
using Release = void (*)(void*);

struct Heap {
  std::atomic<Take> take{nullptr};
  std::atomic<Release> release{nullptr};
};
Heap heap;

void* TakeFromMalloc(size_t size, const std::nothrow_t&) { return std::malloc(size); }
void ReleaseToMalloc(void* memory) { std::free(memory); }

// The program's, as the linker would have bound them. A program without C++ has none: then malloc,
// which a C++ runtime that comes later uses too. The variant that throws nothing: an exception of
// the program's runtime must not end in ours, which would leave its count of exceptions wrong.
__attribute__((constructor(101))) void FindHeap() {
  const auto take = reinterpret_cast<Take>(dlsym(RTLD_DEFAULT, "_ZnwmRKSt9nothrow_t"));
  const auto release = reinterpret_cast<Release>(dlsym(RTLD_DEFAULT, "_ZdlPv"));
  const bool both = take != nullptr && release != nullptr;
  heap.release.store(both ? release : &ReleaseToMalloc);
  heap.take.store(both ? take : &TakeFromMalloc);
}

void* TakeOrNull(size_t size) {
  if (heap.take.load(std::memory_order_relaxed) == nullptr) FindHeap();
  return heap.take.load(std::memory_order_relaxed)(size, std::nothrow);
}

}  // namespace

void* operator new(size_t size) {
  void* memory = TakeOrNull(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* operator new(size_t size, const std::nothrow_t&) noexcept { return TakeOrNull(size); }

void operator delete(void* memory) noexcept {
  if (memory != nullptr) heap.release.load(std::memory_order_relaxed)(memory);
}

void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

// The linker's --wrap sends all calls of __cxa_atexit() in libprof.so here: those of the runtime
// for its objects, and that of atexit(), which alone has no object.
extern "C" {
int __real___cxa_atexit(void (*action)(void*), void* object, void* library);
int __wrap___cxa_atexit(void (*action)(void*), void* object, void* library) {
  return object == nullptr ? __real___cxa_atexit(action, object, library) : 0;
}
}
