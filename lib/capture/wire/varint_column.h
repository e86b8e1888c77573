// SPDX-License-Identifier: Apache-2.0
//
// A varint column has the form of a packed field: numbers are encoded as they come, so that a row
// takes a byte or two while its block grows, and nothing is left to do when the block ends.
#ifndef PROF_LIB_CAPTURE_WIRE_VARINT_COLUMN_H_
#define PROF_LIB_CAPTURE_WIRE_VARINT_COLUMN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace prof::capture {

class VarintColumn {
 public:
  VarintColumn() = default;
  VarintColumn(const VarintColumn&) = delete;
  VarintColumn& operator=(const VarintColumn&) = delete;
  VarintColumn(VarintColumn&& other) noexcept { *this = std::move(other); }
  VarintColumn& operator=(VarintColumn&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    end_ = std::exchange(other.end_, nullptr);
    limit_ = std::exchange(other.limit_, nullptr);
    return *this;
  }

  void Add(uint64_t value) {
    if (limit_ - end_ < kLongest) Grow();
    char* to = end_;
    if (value < 1 << 14) {
      // Nearly always; one byte or two, which nobody can predict: written without a branch.
      const bool two = value >= 1 << 7;
      to[0] = static_cast<char>(value | uint64_t{two} << 7);
      to[1] = static_cast<char>(value >> 7);
      end_ = to + 1 + (two ? 1 : 0);
      return;
    }
    for (; value >= 1 << 7; value >>= 7) *to++ = static_cast<char>(value | 1 << 7);
    *to++ = static_cast<char>(value);
    end_ = to;
  }
  // As a zigzag number, which is short for small negative ones, too.
  void AddSigned(int64_t value) {
    Add(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }

  bool empty() const { return end_ == bytes_.get(); }
  std::string_view bytes() const {
    return {bytes_.get(), static_cast<size_t>(end_ - bytes_.get())};
  }

  // The memory is kept.
  void Clear() { end_ = bytes_.get(); }

 private:
  static constexpr ptrdiff_t kLongest = 10;  // bytes of a number

  [[gnu::noinline]] void Grow() {
    const size_t used = bytes().size(), size = std::max<size_t>(2 * used, 1024);
    std::unique_ptr<char[]> more(new char[size]);
    std::copy_n(bytes_.get(), used, more.get());
    bytes_ = std::move(more);
    end_ = bytes_.get() + used;
    limit_ = bytes_.get() + size;
  }

  std::unique_ptr<char[]> bytes_;
  char* end_ = nullptr;
  char* limit_ = nullptr;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_VARINT_COLUMN_H_
