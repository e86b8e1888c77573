// SPDX-License-Identifier: Apache-2.0
//
// As much of libc10.so as an allocator reports to. It counts what arrives.
#include <cstddef>
#include <cstdint>

#define PROF_TEST_API __attribute__((visibility("default")))

namespace {

int64_t bytes_reported = 0;
int out_of_memory = 0;

}  // namespace

namespace c10 {

struct Device {
  int8_t type, index;
};

PROF_TEST_API void reportMemoryUsageToProfiler(void* address, int64_t bytes, size_t allocated,
                                               size_t reserved, Device device) {
  const bool arrived = address != nullptr && allocated == 1 && reserved == 2 && device.type >= 0;
  if (arrived) bytes_reported += bytes;
}

PROF_TEST_API void reportOutOfMemoryToProfiler(int64_t bytes, size_t allocated, size_t reserved,
                                               Device device) {
  if (bytes > 0 && allocated == 3 && reserved == 4 && device.type == 1) ++out_of_memory;
}

}  // namespace c10

extern "C" {

PROF_TEST_API int64_t FakeBytesReported() { return bytes_reported; }
PROF_TEST_API int FakeTimesWithoutMemory() { return out_of_memory; }
}
