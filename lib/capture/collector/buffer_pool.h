// SPDX-License-Identifier: Apache-2.0
//
// The buffer pool is a bounded pool of zeroed buffers that CUPTI fills and the collector empties.
//
// Each slot of one mapping has an atomic state: free -> lent (Take, on any thread) -> full
// (GiveFull, on any thread) -> free (the collector, which zeroes what was used). No lock, no
// allocation; untouched slots cost no memory.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_BUFFER_POOL_H_
#define PROF_LIB_CAPTURE_COLLECTOR_BUFFER_POOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace prof::capture {

class BufferPool {
 public:
  static constexpr size_t kBufferBytes = 256 << 10;

  // At most `cap_bytes`, in buffers of kBufferBytes. When the mapping fails, the pool is empty.
  explicit BufferPool(size_t cap_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Any thread. A zeroed buffer, or nullptr at the cap (counted as refused).
  [[nodiscard]] uint8_t* Take();

  // Any thread. The first `used_bytes` of `buffer` hold records. A pointer that is not of this
  // pool is ignored (counted as foreign).
  void GiveFull(uint8_t* buffer, size_t used_bytes);

  // Any thread. A buffer of this pool.
  [[nodiscard]] bool Owns(const uint8_t* buffer) const {
    return base_ != nullptr && buffer >= base_ && buffer < base_ + count_ * kBufferBytes;
  }

  // The collector. Calls `read(data, used_bytes)` for every full buffer, then frees the buffer,
  // also where `read` throws: no record is read twice.
  template <typename Read>
  void Drain(Read&& read) {
    for (size_t i = 0; i < count_; ++i) {
      Slot& slot = slots_[i];
      if (slot.state.load(std::memory_order_acquire) != State::kFull) continue;
      uint8_t* data = base_ + i * kBufferBytes;
      const Recycled recycled(data, slot);
      read(data, slot.used);
    }
  }

  [[nodiscard]] size_t buffers() const { return count_; }
  [[nodiscard]] size_t in_use() const;
  // Somebody fills a buffer: it was taken, and is not given back.
  [[nodiscard]] bool any_lent() const;
  [[nodiscard]] uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t foreign() const { return foreign_.load(std::memory_order_relaxed); }
  // How often anybody called Take() and GiveFull().
  [[nodiscard]] uint64_t exchanges() const { return exchanges_.load(std::memory_order_relaxed); }

 private:
  enum class State : uint32_t { kFree, kLent, kFull };
  struct alignas(64) Slot {
    std::atomic<State> state{State::kFree};
    size_t used = 0;
  };

  static void Recycle(uint8_t* data, Slot& slot);

  // Frees a buffer at the end of the scope.
  class Recycled {
   public:
    Recycled(uint8_t* data, Slot& slot) : data_(data), slot_(slot) {}
    ~Recycled() { Recycle(data_, slot_); }
    Recycled(const Recycled&) = delete;
    Recycled& operator=(const Recycled&) = delete;

   private:
    uint8_t* const data_;
    Slot& slot_;
  };

  uint8_t* base_ = nullptr;
  size_t count_ = 0;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint64_t> foreign_{0};
  std::atomic<uint64_t> exchanges_{0};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_BUFFER_POOL_H_
