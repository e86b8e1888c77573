// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/bit_columns.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace prof::model {
namespace {

constexpr unsigned kWordBits = 64;
// A load of eight bytes has this many bits of a value that begins within its first byte.
constexpr unsigned kBitsOfLoad = 57;
constexpr size_t kSlack = 16;  // bytes that a load may touch behind the last value

// What stands before the bits of a column.
struct ColumnHeader {
  uint64_t base = 0;   // the smallest value or difference
  uint64_t first = 0;  // of differences: the first value
  uint8_t width = 0;   // bits of each
  bool differences = false;
};
constexpr size_t kHeaderBytes = 2 * sizeof(uint64_t) + 2;

unsigned WidthOf(uint64_t value) {
  unsigned width = 0;
  for (; value != 0; value >>= 1) ++width;
  return width;
}

uint64_t Load(const char* at, size_t bytes) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (bytes == sizeof(wide)) {
    std::memcpy(&wide, at, sizeof(wide));
    return wide;
  }
  std::memcpy(&narrow, at, sizeof(narrow));
  return narrow;
}

template <typename Number>
void Append(Number number, std::string* to) {
  to->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

size_t WordsOf(size_t count, unsigned width) { return (count * width + kWordBits - 1) / kWordBits; }

void AppendBits(const std::vector<uint64_t>& values, unsigned width, std::string* to) {
  const size_t before = to->size();
  to->resize(before + WordsOf(values.size(), width) * sizeof(uint64_t));
  char* at = to->data() + before;
  uint64_t word = 0;
  unsigned used = 0;
  for (const uint64_t value : values) {
    word |= value << used;
    if (used + width < kWordBits) {
      used += width;
      continue;
    }
    std::memcpy(at, &word, sizeof(word));
    at += sizeof(word);
    word = used == 0 ? 0 : value >> (kWordBits - used);
    used = used + width - kWordBits;
  }
  if (used > 0) std::memcpy(at, &word, sizeof(word));
}

void PackColumn(std::vector<uint64_t>* values, std::string* to) {
  ColumnHeader header;
  // Differences wrap around. They are ordered as signed numbers, because time may go back.
  const auto difference = [&](size_t i) { return (*values)[i] - (*values)[i - 1]; };
  uint64_t least = values->front(), most = least;
  int64_t smallest = values->size() < 2 ? 0 : static_cast<int64_t>(difference(1));
  int64_t largest = smallest;
  for (size_t i = 1; i < values->size(); ++i) {
    const auto step = static_cast<int64_t>(difference(i));
    least = std::min(least, (*values)[i]);
    most = std::max(most, (*values)[i]);
    smallest = std::min(smallest, step);
    largest = std::max(largest, step);
  }
  header.base = least;
  header.width = static_cast<uint8_t>(WidthOf(most - least));
  const unsigned width = WidthOf(static_cast<uint64_t>(largest) - static_cast<uint64_t>(smallest));
  if (width < header.width) {
    header = {static_cast<uint64_t>(smallest), values->front(), static_cast<uint8_t>(width), true};
    for (size_t i = values->size() - 1; i > 0; --i) (*values)[i] = difference(i) - header.base;
    values->front() = 0;
  } else {
    for (uint64_t& value : *values) value -= header.base;
  }
  Append(header.base, to);
  Append(header.first, to);
  Append(header.width, to);
  Append(static_cast<uint8_t>(header.differences ? 1 : 0), to);
  if (header.width > 0) AppendBits(*values, header.width, to);
}

ColumnHeader ReadHeader(const char* at) {
  ColumnHeader header;
  std::memcpy(&header.base, at, sizeof(header.base));
  std::memcpy(&header.first, at + sizeof(header.base), sizeof(header.first));
  header.width = static_cast<uint8_t>(at[kHeaderBytes - 2]);
  header.differences = at[kHeaderBytes - 1] != 0;
  return header;
}

uint64_t BitsAt(const char* bits, size_t position, unsigned width, uint64_t mask) {
  const char* const at = bits + position / 8;
  const unsigned shift = position % 8;
  uint64_t value = Load(at, sizeof(value)) >> shift;
  if (width > kBitsOfLoad && shift > 0) {
    value |= Load(at + sizeof(value), sizeof(value)) << (kWordBits - shift);
  }
  return value & mask;
}

template <typename Number>
void UnpackColumn(const char* bits, const ColumnHeader& header, size_t count, size_t row_bytes,
                  char* to) {
  const unsigned width = header.width;
  const uint64_t mask = width == kWordBits ? UINT64_MAX : (uint64_t{1} << width) - 1;
  const auto write = [row_bytes, to](size_t i, uint64_t value) {
    const auto number = static_cast<Number>(value);
    std::memcpy(to + i * row_bytes, &number, sizeof(number));
  };
  // Four plain loops: this is where most of the time to read packed rows goes.
  const uint64_t base = header.base;
  uint64_t last = header.first;
  if (header.differences) {
    write(0, last);
    if (width == 0) {
      for (size_t i = 1; i < count; ++i) write(i, last += base);
    } else {
      for (size_t i = 1; i < count; ++i) {
        write(i, last += base + BitsAt(bits, i * width, width, mask));
      }
    }
  } else if (width == 0) {
    for (size_t i = 0; i < count; ++i) write(i, base);
  } else {
    for (size_t i = 0; i < count; ++i) write(i, base + BitsAt(bits, i * width, width, mask));
  }
}

}  // namespace

std::string PackColumns(const char* rows, size_t count, const RowLayout& layout) {
  std::string packed;
  if (count == 0) return packed;
  std::vector<uint64_t> values(count);
  size_t offset = 0;
  for (size_t column = 0; column < layout.columns; ++column) {
    const size_t bytes = layout.column_bytes[column];
    for (size_t i = 0; i < count; ++i) {
      values[i] = Load(rows + i * layout.row_bytes + offset, bytes);
    }
    PackColumn(&values, &packed);
    offset += bytes;
  }
  packed.append(kSlack, '\0');
  packed.shrink_to_fit();
  return packed;
}

void UnpackColumns(const std::string& packed, size_t count, const RowLayout& layout, char* rows) {
  if (count == 0) return;
  const char* at = packed.data();
  size_t offset = 0;
  for (size_t column = 0; column < layout.columns; ++column) {
    const ColumnHeader header = ReadHeader(at);
    at += kHeaderBytes;
    const size_t bytes = layout.column_bytes[column];
    if (bytes == sizeof(uint64_t)) {
      UnpackColumn<uint64_t>(at, header, count, layout.row_bytes, rows + offset);
    } else {
      UnpackColumn<uint32_t>(at, header, count, layout.row_bytes, rows + offset);
    }
    at += WordsOf(count, header.width) * sizeof(uint64_t);
    offset += bytes;
  }
}

}  // namespace prof::model
