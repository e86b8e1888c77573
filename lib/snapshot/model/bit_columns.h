// SPDX-License-Identifier: Apache-2.0
//
// These functions store rows as columns of bits. A column has its values, or their differences,
// above the smallest one, in as many bits as the largest one needs.
#ifndef PROF_LIB_SNAPSHOT_MODEL_BIT_COLUMNS_H_
#define PROF_LIB_SNAPSHOT_MODEL_BIT_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace prof::model {

// Rows that lie one after another in memory. A row consists of its columns alone.
struct RowLayout {
  const uint8_t* column_bytes = nullptr;  // 4 or 8, for each column
  size_t columns = 0;
  size_t row_bytes = 0;  // the sum of them
};

// Takes some nanoseconds for each value.
[[nodiscard]] std::string PackColumns(const char* rows, size_t count, const RowLayout& layout);

// Writes the `count` rows that PackColumns() was given.
void UnpackColumns(const std::string& packed, size_t count, const RowLayout& layout, char* rows);

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_BIT_COLUMNS_H_
