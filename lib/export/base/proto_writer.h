// SPDX-License-Identifier: Apache-2.0
//
// ProtoWriter appends protobuf's wire format to a buffer. Perfetto's and pprof's messages are
// written with it: their schemas are not ours, and of each we need a few fields.
#ifndef PROF_LIB_EXPORT_BASE_PROTO_WRITER_H_
#define PROF_LIB_EXPORT_BASE_PROTO_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof::exporting {

class ProtoWriter {
 public:
  // int32, int64, uint32, uint64, bool and enums. Negative values: as protobuf, 10 bytes.
  void Integer(uint32_t field, uint64_t value) {
    Varint(uint64_t{field} << 3);
    Varint(value);
  }
  void Double(uint32_t field, double value);
  void Fixed64(uint32_t field, uint64_t value);
  void Text(uint32_t field, std::string_view text);  // also a message that is encoded already

  // A message: what is appended between both. End() gets what Begin() returned.
  [[nodiscard]] size_t Begin(uint32_t field) {
    Varint(uint64_t{field} << 3 | kDelimited);
    *Room(1) = '\0';  // its length; most messages are shorter than 128 bytes
    return ++size_;
  }
  void End(size_t begin) {
    const size_t length = size_ - begin;
    if (length < 0x80) {
      buffer_[begin - 1] = static_cast<char>(length);
    } else {
      EndLong(begin, length);
    }
  }

  void Varint(uint64_t value) {
    char* at = Room(kLongestVarint);
    while (value >= 0x80) {
      *at++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *at++ = static_cast<char>(value);
    size_ = static_cast<size_t>(at - buffer_.data());
  }
  void Raw(std::string_view encoded) {
    char* const at = Room(encoded.size());
    size_ += encoded.copy(at, encoded.size());
  }

  // Valid until the next call that appends.
  std::string_view bytes() const { return {buffer_.data(), size_}; }
  size_t size() const { return size_; }
  // The bytes so far. The writer has none then, and the room for as many.
  std::string Take();

 private:
  static constexpr uint32_t kDelimited = 2;  // a wire type
  static constexpr size_t kLongestVarint = 10;

  // Where so many bytes can be written. A string that grows by each byte checks and ends itself
  // each time, which took a tenth of an export.
  char* Room(size_t bytes) {
    if (buffer_.size() - size_ < bytes) Grow(bytes);
    return buffer_.data() + size_;
  }
  void Grow(size_t bytes);
  void EndLong(size_t begin, size_t length);

  std::string buffer_;  // of its bytes the first `size_` are written
  size_t size_ = 0;
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_PROTO_WRITER_H_
