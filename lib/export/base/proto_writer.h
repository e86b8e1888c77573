// SPDX-License-Identifier: Apache-2.0
//
// ProtoWriter appends protobuf's wire format to a string. Perfetto's and pprof's messages are
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
  [[nodiscard]] size_t Begin(uint32_t field);
  void End(size_t begin);

  void Varint(uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void Raw(std::string_view encoded) { bytes_ += encoded; }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  void Clear() { bytes_.clear(); }
  // The bytes so far, and the room for as many more.
  std::string Take();

 private:
  std::string bytes_;
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_PROTO_WRITER_H_
