// SPDX-License-Identifier: Apache-2.0
//
// The wire writer adds the conventions of snapshot.proto to protozero: it leaves out what is empty
// or zero.
#ifndef PROF_LIB_CAPTURE_WIRE_WIRE_WRITER_H_
#define PROF_LIB_CAPTURE_WIRE_WIRE_WRITER_H_

#include <cstdint>
#include <memory>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>
#include <string_view>
#include <vector>

#include "lib/capture/wire/utf8.h"
#include "lib/capture/wire/varint_column.h"

namespace prof::capture {

using Message = protozero::pbf_writer;

// protozero's own packed fields grow a string byte by byte, which was a tenth of all encoding.
template <typename Values, typename ToWire>
void PackedVarints(Message& writer, uint32_t tag, const Values& values, ToWire to_wire) {
  if (values.empty()) return;
  const std::unique_ptr<char[]> bytes(new char[values.size() * protozero::max_varint_length]);
  char* end = bytes.get();
  for (const auto value : values) {
    uint64_t rest = to_wire(value);
    for (; rest >= 0x80U; rest >>= 7U) *end++ = static_cast<char>(rest | 0x80U);
    *end++ = static_cast<char>(rest);
  }
  writer.add_bytes(tag, bytes.get(), static_cast<size_t>(end - bytes.get()));
}

template <typename Values>
void Packed32(Message& writer, uint32_t tag, const Values& values) {
  PackedVarints(writer, tag, values, [](uint32_t value) { return value; });
}
inline void Packed64(Message& writer, uint32_t tag, const std::vector<uint64_t>& values) {
  PackedVarints(writer, tag, values, [](uint64_t value) { return value; });
}
inline void PackedDelta(Message& writer, uint32_t tag, const std::vector<int64_t>& values) {
  PackedVarints(writer, tag, values,
                [](int64_t value) { return protozero::encode_zigzag64(value); });
}
inline void Packed(Message& writer, uint32_t tag, const VarintColumn& column) {
  if (!column.empty()) writer.add_bytes(tag, column.bytes().data(), column.bytes().size());
}
inline void PackedEnum(Message& writer, uint32_t tag, const std::vector<int32_t>& values) {
  if (!values.empty()) {
    writer.add_packed_enum(tag, values.begin(), values.end());
  }
}

// Proto3 leaves out zeros; we do so, too, which keeps blocks small.
inline void U32(Message& writer, uint32_t tag, uint64_t value) {
  if (value != 0) writer.add_uint64(tag, value);
}
// But protozero drops a message without fields, and a table entry gets its id from its place: the
// first field of each entry is always written.
inline void First(Message& writer, uint32_t tag, uint32_t value) { writer.add_uint32(tag, value); }
inline void I64(Message& writer, uint32_t tag, int64_t value) {
  if (value != 0) writer.add_int64(tag, value);
}
inline void Text(Message& writer, uint32_t tag, std::string_view text) {
  if (!text.empty()) writer.add_string(tag, SanitizeUtf8(text));
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_WIRE_WRITER_H_
