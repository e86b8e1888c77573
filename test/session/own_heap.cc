// SPDX-License-Identifier: Apache-2.0
//
// A program whose operator new marks its memory, and whose operator delete refuses other memory:
// what the API returns is freed here, what the program gives to the API may be freed there.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "prof/range.h"
#include "prof/session.h"

namespace {

constexpr uint64_t kMark = 0x70726f6668656170;
constexpr size_t kHeader = 16;  // keeps the alignment
std::atomic<int> taken{0};

void* Take(size_t size) {
  auto* memory = static_cast<char*>(std::malloc(size + kHeader));
  if (memory == nullptr) return nullptr;
  *reinterpret_cast<uint64_t*>(memory) = kMark;
  ++taken;
  return memory + kHeader;
}

}  // namespace

void* operator new(size_t size) {
  void* memory = Take(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  char* begin = static_cast<char*>(memory) - kHeader;
  if (*reinterpret_cast<uint64_t*>(begin) != kMark) {
    std::fprintf(stderr, "memory of another allocator reached the program's operator delete\n");
    std::_Exit(1);
  }
  *reinterpret_cast<uint64_t*>(begin) = 0;
  std::free(begin);
}

void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

int main() {
  prof::SessionOptions options;
  options.kernel_filter = "a filter that is longer than the buffer within a string";
  int before = 0;
  {
    prof::Session session(options);
    { PROF_RANGE("work"); }
    before = taken.load();
    const prof::Status status = session.status();
    const prof::Snapshot snapshot = session.Stop();
    std::printf("%s\n", status.timeline.what.c_str());
  }
  if (taken.load() == before) {
    std::fprintf(stderr, "libprof.so took no memory from the program's operator new\n");
    return 1;
  }
  return 0;
}
