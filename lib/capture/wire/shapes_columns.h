// SPDX-License-Identifier: Apache-2.0
//
// Shapes columns hold the shapes of the inputs of ops of PyTorch, of the rows that have any.
#ifndef PROF_LIB_CAPTURE_WIRE_SHAPES_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_SHAPES_COLUMNS_H_

#include <cstddef>
#include <cstdint>

#include "lib/capture/wire/varint_column.h"

namespace prof::capture {

class ShapesColumns {
 public:
  // `row`: the one that comes next. `text`: a string id.
  void Add(size_t row, uint32_t text);

  // About what they take in the file.
  [[nodiscard]] size_t bytes() const { return row_deltas_.bytes().size() + texts_.bytes().size(); }
  const VarintColumn& row_deltas() const { return row_deltas_; }
  const VarintColumn& texts() const { return texts_; }

  // Begins the columns of the next block and keeps the memory.
  void Clear();

 private:
  VarintColumn row_deltas_, texts_;
  size_t last_row_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_SHAPES_COLUMNS_H_
