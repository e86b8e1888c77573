// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace prof::capture {

BufferPool::BufferPool(size_t cap_bytes) {
  const size_t count = std::max<size_t>(1, cap_bytes / kBufferBytes);
  slots_.reset(new (std::nothrow) Slot[count]);
  if (slots_ == nullptr) return;
  // Reserved, not committed: a page costs memory from its first record on.
  void* mapping = mmap(nullptr, count * kBufferBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return;
  base_ = static_cast<uint8_t*>(mapping);
  count_ = count;
}

BufferPool::~BufferPool() {
  if (base_ != nullptr) munmap(base_, count_ * kBufferBytes);
}

uint8_t* BufferPool::Take() {
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  for (size_t i = 0; i < count_; ++i) {
    State expected = State::kFree;
    if (slots_[i].state.load(std::memory_order_relaxed) != State::kFree) continue;
    if (slots_[i].state.compare_exchange_strong(expected, State::kLent,
                                                std::memory_order_acquire)) {
      return base_ + i * kBufferBytes;
    }
  }
  refused_.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void BufferPool::GiveFull(uint8_t* buffer, size_t used_bytes) {
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  if (!Owns(buffer)) {
    foreign_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Slot& slot = slots_[static_cast<size_t>(buffer - base_) / kBufferBytes];
  slot.used = std::min(used_bytes, kBufferBytes);
  slot.state.store(State::kFull, std::memory_order_release);
}

void BufferPool::Recycle(uint8_t* data, Slot& slot) {
  std::memset(data, 0, slot.used);
  slot.used = 0;
  slot.state.store(State::kFree, std::memory_order_release);
}

size_t BufferPool::in_use() const {
  size_t used = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (slots_[i].state.load(std::memory_order_relaxed) != State::kFree) ++used;
  }
  return used;
}

bool BufferPool::any_lent() const {
  for (size_t i = 0; i < count_; ++i) {
    if (slots_[i].state.load(std::memory_order_relaxed) == State::kLent) return true;
  }
  return false;
}

}  // namespace prof::capture
