// SPDX-License-Identifier: Apache-2.0
//
// What one thread has to tell the collector: a ring with one writer and one reader.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_RING_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_RING_H_

#include <atomic>
#include <cstdint>

namespace prof::capture {

enum class RecordKind : uint32_t {
  kStep,
  kMark,
  kSpanStart,
  kSpanEnd,
  kPayload,
  kPayloadValue,
  kCall,
  kCallEnd
};

// A span is two records in a row: kSpanStart with its path, kSpanEnd. So is a payload: kPayload
// with the path and time of what it is attached to, and its type in `tid`; kPayloadValue with its
// bits in `ticks`. So is an API call: kCall with its id in place of a path and its correlation id
// in `tid`; kCallEnd with what it waited for in place of a path and its result in `tid`. 16 bytes
// each.
struct RingRecord {
  static constexpr uint32_t kKindShift = 29;

  int64_t ticks = 0;  // of tick_clock.h
  uint32_t kind_and_path = 0;
  uint32_t tid = 0;  // of the thread that started or ended a span

  static RingRecord Of(RecordKind kind, int64_t ticks, uint32_t path, uint32_t tid = 0) {
    return {ticks, static_cast<uint32_t>(kind) << kKindShift | path, tid};
  }
  RecordKind kind() const { return static_cast<RecordKind>(kind_and_path >> kKindShift); }
  uint32_t path() const { return kind_and_path & ((1U << kKindShift) - 1); }
};

class ThreadRing {
 public:
  enum class Result { kWritten, kHalfFull, kFull };

  // `capacity` records, a power of two; nullptr: a ring that is always full.
  void SetStorage(RingRecord* records, uint64_t capacity) {
    records_ = records;
    capacity_ = capacity;
  }

  bool has_storage() const { return records_ != nullptr; }

  // By the thread. kHalfFull once for each time it fills up.
  Result Write(const RingRecord& record) {
    if (!HasRoomFor(1)) return Result::kFull;
    const uint64_t head = head_.load(std::memory_order_relaxed);
    Put(head, record);
    return Publish(head + 1);
  }
  // Both or none.
  Result Write(const RingRecord& first, const RingRecord& second) {
    if (!HasRoomFor(2)) return Result::kFull;
    const uint64_t head = head_.load(std::memory_order_relaxed);
    Put(head, first);
    Put(head + 1, second);
    return Publish(head + 2);
  }

  // By the collector. Positions grow for ever; records in [tail, head) are there to be read.
  uint64_t head() const { return head_.load(std::memory_order_acquire); }
  uint64_t tail() const { return tail_.load(std::memory_order_acquire); }
  const RingRecord& At(uint64_t position) const { return records_[position & (capacity_ - 1)]; }
  void ReadUpTo(uint64_t position) { tail_.store(position, std::memory_order_release); }

  bool empty() const { return head() == tail(); }

 private:
  bool HasRoomFor(uint64_t count) {
    if (records_ == nullptr) return false;
    const uint64_t end = head_.load(std::memory_order_relaxed) + count;
    if (end - seen_tail_ <= capacity_ / 2) return true;
    seen_tail_ = tail_.load(std::memory_order_acquire);
    return end - seen_tail_ <= capacity_;
  }

  // Field by field: a 16-byte copy of a record just built waits for its parts to leave the store
  // buffer, which doubled the cost of a push.
  void Put(uint64_t position, const RingRecord& record) {
    // The reader had these lines last: they are asked for before they are needed.
    __builtin_prefetch(&records_[(position + kPrefetched) & (capacity_ - 1)], 1);
    RingRecord& slot = records_[position & (capacity_ - 1)];
    slot.ticks = record.ticks;
    slot.kind_and_path = record.kind_and_path;
    slot.tid = record.tid;
  }

  Result Publish(uint64_t head) {
    head_.store(head, std::memory_order_release);
    const bool half_full = head - seen_tail_ > capacity_ / 2;
    const bool first = half_full && !told_;
    told_ = half_full;
    return first ? Result::kHalfFull : Result::kWritten;
  }

  static constexpr uint64_t kPrefetched = 16;  // records, four cache lines

  // Written for each record. The reader looks here once for many of them: were anything here that
  // it needs for each, it would take the line away from the writer each time.
  alignas(64) std::atomic<uint64_t> head_{0};
  uint64_t seen_tail_ = 0;  // the writer's last look at tail_
  bool told_ = false;
  // Read by both for each record, written once for many.
  alignas(64) std::atomic<uint64_t> tail_{0};
  RingRecord* records_ = nullptr;
  uint64_t capacity_ = 0;
};
static_assert(sizeof(ThreadRing) == 128, "two cache lines, one of which only the writer writes");

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_RING_H_
