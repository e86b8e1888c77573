// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/shapes_columns.h"

namespace prof::capture {

void ShapesColumns::Add(size_t row, uint32_t text) {
  row_deltas_.Add(row - last_row_);
  texts_.Add(text);
  last_row_ = row;
}

void ShapesColumns::Clear() {
  row_deltas_.Clear();
  texts_.Clear();
  last_row_ = 0;
}

}  // namespace prof::capture
