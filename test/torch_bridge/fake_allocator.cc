// SPDX-License-Identifier: Apache-2.0
//
// As much of libc10_cuda.so as prof hears of: an allocator that reports each tensor to libc10.so
// (fake_c10.cc), as PyTorch's does.
#include <cstddef>
#include <cstdint>

namespace c10 {

struct Device {
  int8_t type, index;
};

void reportMemoryUsageToProfiler(void* address, int64_t bytes, size_t allocated, size_t reserved,
                                 Device device);
void reportOutOfMemoryToProfiler(int64_t bytes, size_t allocated, size_t reserved, Device device);

}  // namespace c10

extern "C" {

// `bytes`: negative where it is freed. `type`: 0 for the CPU, 1 for CUDA.
__attribute__((visibility("default"))) void FakeMemory(uint64_t address, int64_t bytes, int type,
                                                       int device) {
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(address), bytes, 1, 2,
                                   {static_cast<int8_t>(type), static_cast<int8_t>(device)});
}

__attribute__((visibility("default"))) void FakeNoMemory(int64_t bytes) {
  c10::reportOutOfMemoryToProfiler(bytes, 3, 4, {1, 0});
}
}
