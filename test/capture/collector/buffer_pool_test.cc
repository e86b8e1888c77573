// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/buffer_pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace prof::capture::buffer_pool_test {
namespace {

constexpr size_t kBuffer = BufferPool::kBufferBytes;

bool IsZero(const uint8_t* buffer) {
  return std::all_of(buffer, buffer + kBuffer, [](uint8_t byte) { return byte == 0; });
}

TEST_CASE("At the cap there is no buffer, and each refusal is counted") {
  BufferPool pool(4 * kBuffer);
  REQUIRE(pool.buffers() == 4);
  std::set<uint8_t*> taken;
  for (int i = 0; i < 4; ++i) taken.insert(pool.Take());
  CHECK(taken.size() == 4);
  CHECK(taken.count(nullptr) == 0);
  CHECK(pool.in_use() == 4);
  CHECK(pool.Take() == nullptr);
  CHECK(pool.Take() == nullptr);
  CHECK(pool.refused() == 2);
}

TEST_CASE("A cap below one buffer still gives one") {
  BufferPool pool(1);
  CHECK(pool.buffers() == 1);
  CHECK(pool.Take() != nullptr);
  CHECK(pool.Take() == nullptr);
}

TEST_CASE("A buffer is lent until it is given back, drained or not") {
  BufferPool pool(4 * kBuffer);
  CHECK_FALSE(pool.any_lent());
  uint8_t* first = pool.Take();
  uint8_t* second = pool.Take();
  pool.GiveFull(first, 10);
  CHECK(pool.any_lent());
  pool.GiveFull(second, 10);
  CHECK_FALSE(pool.any_lent());
  CHECK(pool.in_use() == 2);
  pool.Drain([](const uint8_t*, size_t) {});
  CHECK_FALSE(pool.any_lent());
}

TEST_CASE("Full buffers are handed out once and come back zeroed") {
  BufferPool pool(kBuffer);
  uint8_t* buffer = pool.Take();
  REQUIRE(buffer != nullptr);
  CHECK(IsZero(buffer));
  std::memset(buffer, 0xab, 1000);
  pool.GiveFull(buffer, 1000);
  CHECK(pool.Take() == nullptr);  // full, not free
  int drained = 0;
  const auto read = [&](const uint8_t* data, size_t bytes) {
    ++drained;
    CHECK(data == buffer);
    CHECK(bytes == 1000);
    CHECK(data[999] == 0xab);
  };
  pool.Drain(read);
  pool.Drain(read);
  CHECK(drained == 1);
  CHECK(pool.in_use() == 0);
  CHECK(pool.Take() == buffer);
  CHECK(IsZero(buffer));
}

TEST_CASE("A buffer whose reader runs out of memory is not read a second time") {
  BufferPool pool(2 * kBuffer);
  pool.GiveFull(pool.Take(), 8);
  pool.GiveFull(pool.Take(), 16);
  std::vector<size_t> sizes;
  const auto read = [&](const uint8_t*, size_t bytes) {
    sizes.push_back(bytes);
    if (sizes.size() == 1) throw std::bad_alloc();
  };
  CHECK_THROWS_AS(pool.Drain(read), std::bad_alloc);
  pool.Drain(read);
  CHECK(sizes == std::vector<size_t>{8, 16});
  CHECK(pool.in_use() == 0);
}

TEST_CASE("More used bytes than a buffer has are cut to the buffer") {
  BufferPool pool(kBuffer);
  pool.GiveFull(pool.Take(), 10 * kBuffer);
  size_t bytes = 0;
  pool.Drain([&](const uint8_t*, size_t used) { bytes = used; });
  CHECK(bytes == kBuffer);
}

TEST_CASE("A pointer of somebody else is ignored and counted") {
  BufferPool pool(2 * kBuffer);
  uint8_t* buffer = pool.Take();
  std::vector<uint8_t> other(16);
  pool.GiveFull(other.data(), 16);
  pool.GiveFull(nullptr, 0);
  CHECK(pool.foreign() == 2);
  int drained = 0;
  pool.Drain([&](const uint8_t*, size_t) { ++drained; });
  CHECK(drained == 0);
  CHECK(pool.in_use() == 1);
  pool.GiveFull(buffer, 1);
  pool.Drain([&](const uint8_t*, size_t) { ++drained; });
  CHECK(drained == 1);
}

TEST_CASE("Eight threads and a collector share a pool without losing or mixing buffers") {
  BufferPool pool(6 * kBuffer);
  constexpr int kThreads = 8, kRounds = 2000;
  std::atomic<int> running{kThreads};
  std::atomic<uint64_t> given{0}, refused{0}, dirty{0};
  std::vector<std::thread> threads;
  for (int id = 1; id <= kThreads; ++id) {
    threads.emplace_back([&, id] {
      for (int round = 0; round < kRounds; ++round) {
        uint8_t* buffer = pool.Take();
        if (buffer == nullptr) {
          ++refused;
          std::this_thread::yield();
          continue;
        }
        if (!std::all_of(buffer, buffer + 64, [](uint8_t byte) { return byte == 0; })) ++dirty;
        std::memset(buffer, id, 64);
        pool.GiveFull(buffer, 64);
        ++given;
      }
      --running;
    });
  }
  uint64_t drained = 0, mixed = 0;
  const auto drain = [&] {
    pool.Drain([&](const uint8_t* data, size_t bytes) {
      ++drained;
      const bool same = std::all_of(data, data + bytes, [&](uint8_t b) { return b == data[0]; });
      if (bytes != 64 || !same || data[0] == 0) ++mixed;
    });
  };
  while (running > 0) drain();
  for (std::thread& thread : threads) thread.join();
  drain();
  CHECK(drained == given);
  CHECK(mixed == 0);
  CHECK(dirty == 0);
  CHECK(pool.refused() == refused);
  CHECK(pool.in_use() == 0);
}

}  // namespace
}  // namespace prof::capture::buffer_pool_test
