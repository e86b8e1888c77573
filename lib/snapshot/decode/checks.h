// SPDX-License-Identifier: Apache-2.0
//
// The checks that every decoder of columns makes, and the errors that they give.
#ifndef PROF_LIB_SNAPSHOT_DECODE_CHECKS_H_
#define PROF_LIB_SNAPSHOT_DECODE_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/snapshot/decode/state.h"

namespace prof::snapshot {

using Lengths = std::initializer_list<std::pair<const char*, int>>;

// Parallel columns must be as long as the first of them.
[[nodiscard]] inline absl::Status SameLength(const char* events, Lengths columns) {
  const auto& [first, rows] = *columns.begin();
  for (const auto& [name, length] : columns) {
    if (length != rows) {
      return absl::DataLossError(absl::StrCat("the columns of ", events,
                                              " differ in length: ", first, " has ", rows,
                                              " rows, ", name, " has ", length));
    }
  }
  return absl::OkStatus();
}

[[nodiscard]] inline absl::Status BadId(const char* events, int row, const char* what, uint64_t id,
                                        size_t size) {
  return absl::DataLossError(absl::StrCat(events, " row ", row, " names ", what, " ", id, " of ",
                                          size - 1, " known so far"));
}

[[nodiscard]] inline absl::Status BadTime(const char* events, int row) {
  return absl::DataLossError(absl::StrCat(events, " row ", row, " has an impossible time"));
}

// A sparse column lists only some of the rows, by their number.
[[nodiscard]] inline absl::Status BadRow(const char* events, uint32_t row, int rows) {
  return absl::DataLossError(
      absl::StrCat("a sparse column of ", events, " names row ", row, " of ", rows));
}

[[nodiscard]] inline bool ValidTime(int64_t time_ns) {
  return -kMaxTime < time_ns && time_ns < kMaxTime;
}

// Sums deltas. Unsigned: a hostile sum wraps round instead of being undefined.
class Sum {
 public:
  explicit Sum(int64_t base = 0) : value_(static_cast<uint64_t>(base)) {}
  int64_t Add(int64_t delta) {
    value_ += static_cast<uint64_t>(delta);
    return static_cast<int64_t>(value_);
  }

 private:
  uint64_t value_;
};

// False when the interval is not within the valid times.
template <typename Event>
[[nodiscard]] bool SetInterval(int64_t start_ns, uint64_t duration_ns, Event* event) {
  if (!ValidTime(start_ns) || duration_ns >= static_cast<uint64_t>(kMaxTime)) return false;
  event->start_ns = start_ns;
  event->end_ns = start_ns + static_cast<int64_t>(duration_ns);
  return event->end_ns < kMaxTime;
}

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_CHECKS_H_
