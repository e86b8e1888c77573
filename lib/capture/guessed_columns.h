// SPDX-License-Identifier: Apache-2.0
//
// Columns of which only what could not be guessed is written (lib/format/guess.h).
#ifndef PROF_LIB_CAPTURE_GUESSED_COLUMNS_H_
#define PROF_LIB_CAPTURE_GUESSED_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/format/guess.h"

namespace prof::capture {

// Ids: pairs of how many rows were guessed right, and the value of the row that was not.
class IdColumn {
 public:
  void Add(uint32_t value) {
    if (value == guess_.guess()) {
      ++right_;
    } else {
      misses_.push_back(right_);
      misses_.push_back(value);
      right_ = 0;
    }
    guess_.Learn(value);
  }
  const std::vector<uint32_t>& misses() const { return misses_; }

 private:
  format::IdGuess guess_;
  std::vector<uint32_t> misses_;
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
  const std::vector<uint32_t>& misses() const { return differences_.misses(); }

 private:
  IdColumn differences_;
  uint32_t last_ = 0;
};

// Start and duration of rows of some kind (a shape, a call's name): the difference to the guess.
class IntervalColumn {
 public:
  void Add(uint32_t kind, int64_t start_ns, uint64_t duration_ns) {
    if (!has_base_ && start_ns != 0) Begin(start_ns);
    const auto start = static_cast<uint64_t>(start_ns);
    guess_.Enter(kind);
    starts_.push_back(static_cast<int64_t>(start - guess_.start_ns()));
    durations_.push_back(static_cast<int64_t>(duration_ns - guess_.duration_ns()));
    guess_.Learn(start, duration_ns);
    last_ns_ = start_ns;
  }
  // For a row that has no time of its own.
  void Repeat(uint32_t kind) { Add(kind, last_ns_, 0); }

  size_t rows() const { return starts_.size(); }
  int64_t base() const { return base_ns_; }
  const std::vector<int64_t>& starts() const { return starts_; }
  const std::vector<int64_t>& durations() const { return durations_; }

 private:
  void Begin(int64_t start_ns) {
    has_base_ = true;
    if (!starts_.empty()) return;  // rows without a time came first: they began at 0
    base_ns_ = start_ns;
    guess_.Begin(start_ns);
  }

  format::IntervalGuess guess_;
  std::vector<int64_t> starts_, durations_;
  int64_t base_ns_ = 0, last_ns_ = 0;
  bool has_base_ = false;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_GUESSED_COLUMNS_H_
