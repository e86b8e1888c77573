// SPDX-License-Identifier: Apache-2.0
#include "lib/html/column.h"

namespace prof::html {

void Column::Add(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

void Column::AddSigned(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  Add(value < 0 ? ~(bits << 1) : bits << 1);
}

}  // namespace prof::html
