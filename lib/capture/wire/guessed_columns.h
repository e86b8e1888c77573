// SPDX-License-Identifier: Apache-2.0
//
// Guessed columns write only the values that the reader cannot guess (lib/format/guess.h). Clear()
// begins the column of the next block and keeps the memory. Every launch and call adds a row to
// several of them: frequent code is inlined, rare code is not.
#ifndef PROF_LIB_CAPTURE_WIRE_GUESSED_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_GUESSED_COLUMNS_H_

#include <cstddef>
#include <cstdint>

#include "lib/capture/wire/varint_column.h"
#include "lib/format/guess.h"

namespace prof::capture {

// Ids, in pairs: how many rows were guessed right, and the value of the row that was not.
class IdColumn {
 public:
  void Add(uint32_t value) {
    if (value == guess_.guess()) {
      ++right_;
      if (guess_.Repeats(value)) return;
    } else {
      Miss(value);
    }
    guess_.Learn(value);
  }
  const VarintColumn& misses() const { return misses_; }

  void Clear() {
    if (right_ == 0 && misses_.empty()) return;
    guess_.Forget();
    misses_.Clear();
    right_ = 0;
  }

 private:
  [[gnu::noinline]] void Miss(uint32_t value) {
    misses_.Add(right_);
    misses_.Add(value);
    right_ = 0;
  }

  format::IdGuess guess_;
  VarintColumn misses_;
  uint32_t right_ = 0;
};

// Correlation ids: their differences as ids, zigzag coded, so that small ones stay small.
class CorrelationIdColumn {
 public:
  void Add(uint32_t value) {
    const uint32_t delta = value - last_;
    differences_.Add(delta << 1 ^ (0 - (delta >> 31)));
    last_ = value;
  }
  const VarintColumn& misses() const { return differences_.misses(); }

  void Clear() {
    differences_.Clear();
    last_ = 0;
  }

 private:
  IdColumn differences_;
  uint32_t last_ = 0;
};

// Start and duration, as differences to the guess for rows of the same kind (shape, name of a
// call).
class IntervalColumn {
 public:
  [[gnu::always_inline]] void Add(uint32_t kind, int64_t start_ns, uint64_t duration_ns) {
    if (!has_base_ && start_ns != 0) Begin(start_ns);
    const auto start = static_cast<uint64_t>(start_ns);
    guess_.Enter(kind);
    const auto start_miss = static_cast<int64_t>(start - guess_.start_ns());
    const auto duration_miss = static_cast<int64_t>(duration_ns - guess_.duration_ns());
    guess_.Learn(start, duration_ns);
    last_ns_ = start_ns;
    ++rows_;
    starts_.AddSigned(start_miss);
    durations_.AddSigned(duration_miss);
  }
  // For a row that has no time of its own.
  [[gnu::noinline]] void Repeat(uint32_t kind) { Add(kind, last_ns_, 0); }

  size_t rows() const { return rows_; }
  int64_t base() const { return base_ns_; }
  const VarintColumn& starts() const { return starts_; }
  const VarintColumn& durations() const { return durations_; }

  void Clear() {
    if (rows_ == 0) return;
    guess_.Forget();
    starts_.Clear();
    durations_.Clear();
    rows_ = 0;
    base_ns_ = last_ns_ = 0;
    has_base_ = false;
  }

 private:
  void Begin(int64_t start_ns) {
    has_base_ = true;
    if (rows_ != 0) return;  // rows without a time came first: they began at 0
    base_ns_ = start_ns;
    guess_.Begin(start_ns);
  }

  format::IntervalGuess guess_;
  VarintColumn starts_, durations_;
  size_t rows_ = 0;
  int64_t base_ns_ = 0, last_ns_ = 0;
  bool has_base_ = false;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_GUESSED_COLUMNS_H_
