// SPDX-License-Identifier: Apache-2.0
//
// A part of libprof_inject.so. PyTorch's CUDA allocator reports each tensor that it gives memory
// to, and each that it gets back, to a function of libc10.so, which hands that to torch.profiler.
// Where we are preloaded, the loader binds the calls to the functions of this file: they tell prof,
// and call PyTorch's own. Their names and arguments are the same from PyTorch 2.5 to 2.13; in a
// version that changes them they would have other names, and nobody would call these.
#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "torch_bridge/tensors.h"

namespace c10 {

// Two bytes that are passed in a register.
struct Device {
  int8_t type, index;
};

__attribute__((visibility("default"))) void reportMemoryUsageToProfiler(
    void* address, int64_t bytes, size_t allocated, size_t reserved, Device device);
__attribute__((visibility("default"))) void reportOutOfMemoryToProfiler(int64_t bytes,
                                                                        size_t allocated,
                                                                        size_t reserved,
                                                                        Device device);

}  // namespace c10

namespace {

using Usage = void (*)(void*, int64_t, size_t, size_t, c10::Device);
using OutOfMemory = void (*)(int64_t, size_t, size_t, c10::Device);

// PyTorch's own function. Its library is there when the allocator is, and stays; its scope is that
// of Python's import, so it is not behind us in the order of the program.
template <typename Function>
Function Next(std::atomic<Function>* known, const char* symbol) {
  Function next = known->load(std::memory_order_acquire);
  if (next != nullptr) return next;
  void* library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
  void* found = dlsym(library != nullptr ? library : RTLD_NEXT, symbol);
  next = reinterpret_cast<Function>(found);
  known->store(next, std::memory_order_release);
  return next;
}

std::atomic<Usage> next_usage{nullptr};
std::atomic<OutOfMemory> next_out_of_memory{nullptr};

}  // namespace

namespace c10 {

void reportMemoryUsageToProfiler(void* address, int64_t bytes, size_t allocated, size_t reserved,
                                 Device device) {
  prof_torch_memory(address, bytes, device.type, device.index);
  const Usage next = Next(&next_usage, "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");
  if (next != nullptr) next(address, bytes, allocated, reserved, device);
}

void reportOutOfMemoryToProfiler(int64_t bytes, size_t allocated, size_t reserved, Device device) {
  prof_torch_no_memory(bytes, device.type, device.index);
  const OutOfMemory next =
      Next(&next_out_of_memory, "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE");
  if (next != nullptr) next(bytes, allocated, reserved, device);
}

}  // namespace c10
