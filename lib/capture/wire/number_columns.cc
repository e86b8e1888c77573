// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/number_columns.h"

#include "lib/format/name_pattern.h"

namespace prof::capture {

void NumberColumns::Add(size_t row, const NumberEvent& event) {
  place_ = size_ > 0 && row == last_row_ ? place_ + 1 : 0;
  row_deltas_.Add(row - last_row_);
  last_row_ = row;
  uint64_t& last = last_values_[uint64_t{event.path} * format::kMaxNameNumbers + place_];
  value_deltas_.AddSigned(static_cast<int64_t>(event.value - last));
  last = event.value;
  if (event.style != 0) {
    styled_deltas_.Add(size_ - last_styled_);
    styles_.Add(event.style);
    last_styled_ = size_;
  }
  ++size_;
}

void NumberColumns::Clear() {
  if (size_ == 0) return;
  row_deltas_.Clear();
  value_deltas_.Clear();
  styled_deltas_.Clear();
  styles_.Clear();
  last_values_.clear();
  size_ = last_row_ = last_styled_ = 0;
  place_ = 0;
}

}  // namespace prof::capture
