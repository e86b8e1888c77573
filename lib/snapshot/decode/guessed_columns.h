// SPDX-License-Identifier: Apache-2.0
//
// These classes read guessed columns. The file holds only what could not be guessed of them
// (docs/internals/snapshot-format.md). Each row has at least one byte of its own, its start, so the
// number of rows is bounded by the size of the file.
#ifndef PROF_LIB_SNAPSHOT_DECODE_GUESSED_COLUMNS_H_
#define PROF_LIB_SNAPSHOT_DECODE_GUESSED_COLUMNS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/repeated_field.h"
#include "lib/format/guess.h"
#include "lib/snapshot/decode/checks.h"

namespace prof::snapshot {

using Ids = google::protobuf::RepeatedField<uint32_t>;

// A column of ids. The file holds pairs: a number of rows that were guessed right, and the value of
// the row behind them.
class IdReader {
 public:
  explicit IdReader(const Ids& misses)
      : at_(misses.data()), end_(at_ + misses.size() / 2 * 2), odd_(misses.size() % 2 != 0) {
    StartPair();
  }

  uint32_t Next() {
    uint32_t value = guess_.guess();
    if (right_ == 0) {
      value = at_[1];
      at_ += 2;
      StartPair();
    } else {
      --right_;
    }
    guess_.Learn(value);
    return value;
  }

  // After the last row: an error when the column has values for more rows.
  [[nodiscard]] absl::Status Finish(const char* events, const char* column) const {
    if (at_ == end_ && !odd_) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat(events, ": the guessed column ", column, " has more rows than the others"));
  }

 private:
  // After the last pair all rows were guessed right.
  void StartPair() { right_ = at_ == end_ ? UINT64_MAX : *at_; }

  format::IdGuess guess_;
  const uint32_t* at_;
  const uint32_t* end_;
  uint64_t right_ = 0;
  bool odd_;
};

// A column of correlation ids: their differences, as ids.
class CorrelationReader {
 public:
  explicit CorrelationReader(const Ids& misses) : differences_(misses) {}
  uint32_t Next() {
    const uint32_t zigzag = differences_.Next();
    return last_ += (zigzag >> 1) ^ (0 - (zigzag & 1));
  }
  [[nodiscard]] absl::Status Finish(const char* events) const {
    return differences_.Finish(events, "correlation");
  }

 private:
  IdReader differences_;
  uint32_t last_ = 0;
};

// Columns of starts and durations: their differences from the guess.
class IntervalReader {
 public:
  explicit IntervalReader(int64_t base_ns) { guess_.Begin(base_ns); }

  // Sets the event's interval. False: it is not within the valid times.
  template <typename Event>
  [[nodiscard]] bool Next(uint32_t kind, int64_t start_ns, int64_t duration_ns, Event* event) {
    guess_.Enter(kind);
    const uint64_t start = guess_.start_ns() + static_cast<uint64_t>(start_ns);
    const uint64_t duration = guess_.duration_ns() + static_cast<uint64_t>(duration_ns);
    guess_.Learn(start, duration);
    return SetInterval(static_cast<int64_t>(start), duration, event);
  }

 private:
  format::IntervalGuess guess_;
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_GUESSED_COLUMNS_H_
