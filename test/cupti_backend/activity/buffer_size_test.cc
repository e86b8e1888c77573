// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/buffer_size.h"

#include "test/support/catch.h"

namespace prof::cupti::test::buffer_size_test {
namespace {

// A program that writes `bytes_per_s` of records: the size of its buffers after `seconds`.
size_t SizeAfter(BufferSize* size, int64_t* now_ns, double bytes_per_s, double seconds) {
  const int64_t end_ns = *now_ns + static_cast<int64_t>(seconds * 1e9);
  size_t bytes = size->Next(*now_ns);
  while (*now_ns < end_ns) {
    *now_ns += static_cast<int64_t>(1e9 * static_cast<double>(bytes) / bytes_per_s);
    bytes = size->Next(*now_ns);
  }
  return bytes;
}

TEST_CASE("A fast program gets large buffers at once, and a slow one small ones") {
  BufferSize size;
  int64_t now_ns = 1'000'000'000;
  CHECK(SizeAfter(&size, &now_ns, 40e3, 10) == BufferSize::kLeast);
  CHECK(SizeAfter(&size, &now_ns, 100e6, 0.01) == BufferSize::kMost);
  // It slows down: a buffer takes half a second at most, once the large ones are full.
  const size_t later = SizeAfter(&size, &now_ns, 40e3, 60);
  CHECK(static_cast<double>(later) / 40e3 < 0.5);
}

}  // namespace
}  // namespace prof::cupti::test::buffer_size_test
