// SPDX-License-Identifier: Apache-2.0
//
// These classes serve tables with millions of rows. A table packs a row into as few bytes as
// possible, and unpacks it where it is read.
#ifndef PROF_LIB_SNAPSHOT_MODEL_PACKED_H_
#define PROF_LIB_SNAPSHOT_MODEL_PACKED_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <vector>

namespace prof::model {

// Stands for a duration that does not fit 32 bits (4.3 s). The table keeps the end elsewhere.
constexpr uint32_t kLongNs = UINT32_MAX;

// Subtracts without signs, so that an end before the start wraps round instead of being undefined.
inline uint32_t ShortNs(int64_t start_ns, int64_t end_ns) {
  const uint64_t duration = static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(start_ns);
  return duration < kLongNs ? static_cast<uint32_t>(duration) : kLongNs;
}

// Values that repeat in many rows: each is kept once, and a row has its number. Value::Key() is a
// tuple of integers and enums.
template <typename Value>
class Interned {
 public:
  const Value& operator[](uint32_t number) const { return values_[number]; }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  // For code that changes the values of all rows.
  std::vector<Value>& values() { return values_; }

  uint32_t Add(const Value& value) {
    if (last_ < values_.size() && values_[last_].Key() == value.Key()) return last_;
    if (2 * values_.size() >= slots_.size()) Grow();
    uint32_t* free = nullptr;
    for (size_t i = Slot(value), tries = 0; tries < kTries; ++tries, i = Next(i)) {
      if (slots_[i] == kFree) {
        free = &slots_[i];
        break;
      }
      if (values_[slots_[i]].Key() == value.Key()) return last_ = slots_[i];
    }
    last_ = static_cast<uint32_t>(values_.size());
    if (free != nullptr) *free = last_;
    values_.push_back(value);
    return last_;
  }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  // A value that finds no slot in this many tries is kept again for each row. Values that were
  // chosen to collide cost memory in proportion to the rows, but no time.
  static constexpr size_t kTries = 16;

  size_t Slot(const Value& value) const {
    uint64_t hash = 0;  // only the upper half is used, so a product is enough
    const auto mix = [&hash](auto part) {
      hash = (hash ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15;
    };
    std::apply([&](auto... parts) { (mix(parts), ...); }, value.Key());
    return hash >> 32 & (slots_.size() - 1);
  }
  size_t Next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  void Grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kFree);
    for (size_t number = 0; number < values_.size(); ++number) {
      size_t i = Slot(values_[number]);
      for (size_t tries = 0; tries < kTries && slots_[i] != kFree; ++tries) i = Next(i);
      if (slots_[i] == kFree) slots_[i] = static_cast<uint32_t>(number);
    }
  }

  std::vector<Value> values_;
  std::vector<uint32_t> slots_;  // numbers by hash; a power of two, at least twice the values
  uint32_t last_ = 0;
};

// Iterates over a table whose operator[] unpacks a row: `for (const Op& op : ops)`. `Reader` is
// constructed from the table, and reads it about in order.
template <typename Table, typename Reader>
class ReaderIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = typename Table::value_type;
  using difference_type = ptrdiff_t;
  using pointer = void;
  using reference = value_type;

  ReaderIterator(const Table* table, size_t row) : reader_(*table), row_(row) {}
  value_type operator*() { return reader_[row_]; }
  ReaderIterator& operator++() {
    ++row_;
    return *this;
  }
  bool operator==(const ReaderIterator& other) const { return row_ == other.row_; }
  bool operator!=(const ReaderIterator& other) const { return row_ != other.row_; }

 private:
  Reader reader_;
  size_t row_;
};

// Reads a table by its operator[].
template <typename Table>
class TableReader {
 public:
  explicit TableReader(const Table& table) : table_(&table) {}
  typename Table::value_type operator[](size_t i) const { return (*table_)[i]; }

 private:
  const Table* table_;
};
template <typename Table>
using RowIterator = ReaderIterator<Table, TableReader<Table>>;

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_PACKED_H_
