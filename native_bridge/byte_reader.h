// SPDX-License-Identifier: Apache-2.0
//
// The byte reader reads DWARF's numbers one after another, and nothing behind its end.
#ifndef PROF_NATIVE_BRIDGE_BYTE_READER_H_
#define PROF_NATIVE_BRIDGE_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::native {

class ByteReader {
 public:
  ByteReader(const uint8_t* begin, const uint8_t* end) : at_(begin), end_(end) {}

  [[nodiscard]] const uint8_t* at() const { return at_; }
  [[nodiscard]] size_t left() const { return static_cast<size_t>(end_ - at_); }
  // False: a number was read that was not there. It is 0.
  [[nodiscard]] bool ok() const { return ok_; }

  template <typename Value>
  Value Take() {
    Value value{};
    if (left() < sizeof(value)) {
      Fail();
      return value;
    }
    std::memcpy(&value, at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }

  uint64_t TakeUnsigned() {  // ULEB128
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = Take<uint8_t>();
      value |= uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    Fail();
    return 0;
  }

  int64_t TakeSigned() {  // SLEB128
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
      const auto byte = Take<uint8_t>();
      value |= uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
    Fail();
    return 0;
  }

  void Skip(uint64_t bytes) {
    if (bytes > left()) {
      Fail();
    } else {
      at_ += bytes;
    }
  }

 private:
  void Fail() {
    ok_ = false;
    at_ = end_;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_BYTE_READER_H_
