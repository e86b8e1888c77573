// SPDX-License-Identifier: Apache-2.0
//
// A thread ring holds what one thread has written for the collector: one writer, one reader.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_RING_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_RING_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "lib/capture/events/events.h"

namespace prof::capture {

// One record of a ring. There is a maker for each kind, which names the fields that the kind has;
// the reader uses accessors with these names. Times are ticks of tick_clock.h. Paths, calls
// and what a call waited for have at most 29 bits.
class RingRecord {
 public:
  enum class Kind : uint32_t {
    kStep,
    kMark,
    kSpanStart,
    kSpanEnd,
    kPayload,
    kValue,
    kCall,
    kTensor
  };

  RingRecord() = default;

  // The thread is in `path` now. `shapes`: of the inputs of the op that begins there
  // (torch_shapes.h); 0: none are known.
  static RingRecord Step(int64_t ticks, uint32_t path, uint32_t shapes = 0) {
    return {Kind::kStep, ticks, path, shapes};
  }
  static RingRecord Mark(int64_t ticks, uint32_t path) { return {Kind::kMark, ticks, path, 0}; }

  // A span takes two records in a row. `tid`: the thread that started it, and that ended it.
  static RingRecord SpanStart(int64_t ticks, uint32_t path, uint32_t tid) {
    return {Kind::kSpanStart, ticks, path, tid};
  }
  static RingRecord SpanEnd(int64_t ticks, uint32_t path, uint32_t tid) {
    return {Kind::kSpanEnd, ticks, path, tid};
  }

  // A payload takes two records in a row: what it is attached to and its type, then its value.
  static RingRecord PayloadOf(int64_t ticks, uint32_t path, PayloadType type) {
    return {Kind::kPayload, ticks, path, static_cast<uint32_t>(type)};
  }
  static RingRecord PayloadValue(uint64_t bits, uint32_t field) {
    return {Kind::kValue, static_cast<int64_t>(bits), field, 0};
  }

  // A number of the name of a step, mark or span start in `path`, which is the next record that is
  // no number. `place`: among the numbers of the name, from 0. `style`: format::StyleOf.
  static RingRecord Number(uint64_t value, uint32_t path, uint32_t place, uint32_t style) {
    return {Kind::kValue, static_cast<int64_t>(value), path, place << kPlaceShift | style};
  }

  // An API call takes two records in a row. Its error and its host stack share a field, where both
  // fit: CUDA's errors are at most 10,000. A larger one has become kLargestError.
  static constexpr uint32_t kStackBits = 18, kLargestError = (1U << (32 - kStackBits)) - 1;
  static RingRecord Call(int64_t begin_ticks, uint32_t call, uint32_t correlation) {
    return {Kind::kCall, begin_ticks, call, correlation};
  }
  static RingRecord CallEnd(int64_t end_ticks, uint32_t waited, uint32_t error, uint32_t stack) {
    return {Kind::kValue, end_ticks, waited, std::min(error, kLargestError) << kStackBits | stack};
  }

  // A change of a tensor's memory takes two records in a row. Sizes beyond 2^61 become the largest.
  static constexpr uint32_t kDeviceBits = 8, kLargestDevice = (1U << kDeviceBits) - 1;
  static RingRecord Tensor(int64_t ticks, TensorChange change, uint32_t device, uint32_t stack) {
    return {Kind::kTensor, ticks, static_cast<uint32_t>(change) << kDeviceBits | device, stack};
  }
  static RingRecord TensorMemory(uint64_t address, uint64_t bytes) {
    constexpr uint64_t kMostBytes = (uint64_t{1} << (32 + kKindShift)) - 1;
    bytes = std::min(bytes, kMostBytes);
    return {Kind::kValue, static_cast<int64_t>(address), static_cast<uint32_t>(bytes >> 32U),
            static_cast<uint32_t>(bytes)};
  }

  Kind kind() const { return static_cast<Kind>(kind_and_id_ >> kKindShift); }
  int64_t ticks() const { return first_; }
  uint64_t bits() const { return static_cast<uint64_t>(first_); }
  uint32_t path() const { return kind_and_id_ & ((1U << kKindShift) - 1); }
  uint32_t call() const { return path(); }
  uint32_t waited() const { return path(); }
  uint32_t shapes() const { return second_; }
  uint32_t tid() const { return second_; }
  uint32_t place() const { return second_ >> kPlaceShift; }
  uint32_t style() const { return second_ & ((1U << kPlaceShift) - 1); }
  uint32_t field() const { return path(); }
  PayloadType payload_type() const { return static_cast<PayloadType>(second_); }
  uint32_t correlation() const { return second_; }
  uint32_t error() const { return second_ >> kStackBits; }
  uint32_t stack() const { return second_ & ((1U << kStackBits) - 1); }
  TensorChange change() const { return static_cast<TensorChange>(path() >> kDeviceBits); }
  uint32_t device() const { return path() & kLargestDevice; }
  uint64_t bytes() const { return uint64_t{path()} << 32U | second_; }

  // Field by field: a 16-byte copy of a record just built waits for its parts to leave the store
  // buffer, which doubled the cost of a push.
  void CopyTo(RingRecord* slot) const {
    slot->first_ = first_;
    slot->kind_and_id_ = kind_and_id_;
    slot->second_ = second_;
  }

 private:
  static constexpr uint32_t kKindShift = 29;
  static constexpr uint32_t kPlaceShift = 16;

  RingRecord(Kind kind, int64_t first, uint32_t id, uint32_t second)
      : first_(first),
        kind_and_id_(static_cast<uint32_t>(kind) << kKindShift | id),
        second_(second) {}

  int64_t first_ = 0;
  uint32_t kind_and_id_ = 0;
  uint32_t second_ = 0;
};
static_assert(sizeof(RingRecord) == 16, "four records a cache line");

class ThreadRing {
 public:
  enum class Result { kWritten, kHalfFull, kFull };

  // `capacity` records, a power of two; nullptr: a ring that is always full.
  void SetStorage(RingRecord* records, uint64_t capacity) {
    records_ = records;
    capacity_ = capacity;
  }

  [[nodiscard]] bool has_storage() const { return records_ != nullptr; }

  // By the thread. kHalfFull once for each time it fills up.
  [[nodiscard]] Result Write(const RingRecord& record) {
    if (!HasRoomFor(1)) return Result::kFull;
    const uint64_t head = head_.load(std::memory_order_relaxed);
    Put(head, record);
    return Publish(head + 1);
  }
  // Both or none.
  [[nodiscard]] Result Write(const RingRecord& first, const RingRecord& second) {
    if (!HasRoomFor(2)) return Result::kFull;
    const uint64_t head = head_.load(std::memory_order_relaxed);
    Put(head, first);
    Put(head + 1, second);
    return Publish(head + 2);
  }

  // By the collector. Positions only grow; records in [tail, head) are there to be read.
  [[nodiscard]] uint64_t head() const { return head_.load(std::memory_order_acquire); }
  [[nodiscard]] uint64_t tail() const { return tail_.load(std::memory_order_acquire); }
  const RingRecord& At(uint64_t position) const { return records_[position & (capacity_ - 1)]; }
  void ReadUpTo(uint64_t position) { tail_.store(position, std::memory_order_release); }

  [[nodiscard]] bool empty() const { return head() == tail(); }

 private:
  bool HasRoomFor(uint64_t count) {
    if (records_ == nullptr) return false;
    const uint64_t end = head_.load(std::memory_order_relaxed) + count;
    if (end - seen_tail_ <= capacity_ / 2) return true;
    seen_tail_ = tail_.load(std::memory_order_acquire);
    return end - seen_tail_ <= capacity_;
  }

  void Put(uint64_t position, const RingRecord& record) {
    // The reader had these lines last: they are asked for before they are needed.
    __builtin_prefetch(&records_[(position + kPrefetched) & (capacity_ - 1)], 1);
    record.CopyTo(&records_[position & (capacity_ - 1)]);
  }

  Result Publish(uint64_t head) {
    head_.store(head, std::memory_order_release);
    const bool half_full = head - seen_tail_ > capacity_ / 2;
    const bool first = half_full && !reported_half_full_;
    reported_half_full_ = half_full;
    return first ? Result::kHalfFull : Result::kWritten;
  }

  static constexpr uint64_t kPrefetched = 16;  // records, four cache lines

  // Written for each record. The reader looks here once for many of them: were anything here that
  // it needs for each, it would take the line away from the writer each time.
  alignas(64) std::atomic<uint64_t> head_{0};
  uint64_t seen_tail_ = 0;  // tail_, when the writer last read it
  bool reported_half_full_ = false;
  // Read by both for each record, written once for many.
  alignas(64) std::atomic<uint64_t> tail_{0};
  RingRecord* records_ = nullptr;
  uint64_t capacity_ = 0;
};
static_assert(sizeof(ThreadRing) == 128, "two cache lines, one of which only the writer writes");

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_RING_H_
