// SPDX-License-Identifier: Apache-2.0
//
// Number columns hold the numbers in the names of ranges and marks whose path stands for a family.
#ifndef PROF_LIB_CAPTURE_WIRE_NUMBER_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_NUMBER_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "lib/capture/events/events.h"
#include "lib/capture/wire/varint_column.h"

namespace prof::capture {

class NumberColumns {
 public:
  NumberColumns() = default;
  NumberColumns(NumberColumns&&) = default;
  NumberColumns& operator=(NumberColumns&&) = default;

  // `row`: the one that comes next.
  void Add(size_t row, const NumberEvent& event);

  [[nodiscard]] size_t size() const { return size_; }
  // About what they take in the file.
  [[nodiscard]] size_t bytes() const {
    return row_deltas_.bytes().size() + value_deltas_.bytes().size() + styles_.bytes().size();
  }
  const VarintColumn& row_deltas() const { return row_deltas_; }
  const VarintColumn& value_deltas() const { return value_deltas_; }
  const VarintColumn& styled_deltas() const { return styled_deltas_; }
  const VarintColumn& styles() const { return styles_; }

  // Begins the columns of the next block and keeps the memory.
  void Clear();

 private:
  VarintColumn row_deltas_, value_deltas_, styled_deltas_, styles_;
  std::unordered_map<uint64_t, uint64_t> last_values_;  // by path and place
  size_t size_ = 0, last_row_ = 0, last_styled_ = 0;
  uint32_t place_ = 0;  // of the last number in its row
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_NUMBER_COLUMNS_H_
