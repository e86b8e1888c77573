// SPDX-License-Identifier: Apache-2.0
//
// protozero with the conventions of snapshot.proto: what is empty or zero is left out.
#ifndef PROF_LIB_CAPTURE_WIRE_WRITER_H_
#define PROF_LIB_CAPTURE_WIRE_WRITER_H_

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string_view>
#include <vector>

#include "lib/capture/utf8.h"

namespace prof::capture {

using Message = protozero::pbf_writer;

template <typename Values>
void Packed32(Message& writer, uint32_t tag, const Values& values) {
  if (!values.empty()) {
    writer.add_packed_uint32(tag, values.begin(), values.end());
  }
}
inline void Packed64(Message& writer, uint32_t tag, const std::vector<uint64_t>& values) {
  if (!values.empty()) {
    writer.add_packed_uint64(tag, values.begin(), values.end());
  }
}
inline void PackedDelta(Message& writer, uint32_t tag, const std::vector<int64_t>& values) {
  if (!values.empty()) {
    writer.add_packed_sint64(tag, values.begin(), values.end());
  }
}
inline void PackedEnum(Message& writer, uint32_t tag, const std::vector<int32_t>& values) {
  if (!values.empty()) {
    writer.add_packed_enum(tag, values.begin(), values.end());
  }
}

// Proto3 leaves out zeros; so do we, which keeps blocks small.
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

#endif  // PROF_LIB_CAPTURE_WIRE_WRITER_H_
