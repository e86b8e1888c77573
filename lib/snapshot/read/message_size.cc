// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/read/message_size.h"

#include <cstdint>
#include <optional>

namespace prof::snapshot {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Of protobuf 3.21 on x86-64: an object with its entry in a table that doubles, and what a field
// takes in it.
constexpr size_t kMessageBytes = 48, kFieldBytes = 8, kStringBytes = 64;
// A packed byte may be a number of 64 bits.
constexpr size_t kPerPackedByte = 8;
constexpr int kMostNested = 8;  // the schema has four

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::optional<uint64_t> TakeVarint(std::string_view* bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

bool Skip(size_t size, std::string_view* bytes) {
  if (size > bytes->size()) return false;
  bytes->remove_prefix(size);
  return true;
}

size_t SizeOf(std::string_view bytes, const Descriptor& type, int nested) {
  size_t size = kMessageBytes + kFieldBytes * static_cast<size_t>(type.field_count());
  while (!bytes.empty()) {
    const std::optional<uint64_t> tag = TakeVarint(&bytes);
    if (!tag) return size;
    const uint64_t wire_type = *tag & 7U;
    if (wire_type == kVarint) {
      if (!TakeVarint(&bytes)) return size;
      size += kFieldBytes;
      continue;
    }
    if (wire_type != kBytes) {
      const bool known = wire_type == kFixed64 || wire_type == kFixed32;
      if (!known || !Skip(wire_type == kFixed64 ? 8 : 4, &bytes)) return size;
      size += kFieldBytes;
      continue;
    }
    const std::optional<uint64_t> length = TakeVarint(&bytes);
    if (!length || *length > bytes.size()) return size;
    const std::string_view content = bytes.substr(0, *length);
    bytes.remove_prefix(content.size());
    const FieldDescriptor* field = type.FindFieldByNumber(static_cast<int>(*tag >> 3));
    const Descriptor* message = field != nullptr ? field->message_type() : nullptr;
    if (message != nullptr && nested < kMostNested) {
      size += SizeOf(content, *message, nested + 1);
    } else if (field != nullptr && field->is_packable()) {
      size += content.size() * kPerPackedByte;
    } else {
      size += content.size() + kStringBytes;
    }
  }
  return size;
}

}  // namespace

size_t MessageSize(std::string_view bytes, const Descriptor& type) {
  return SizeOf(bytes, type, 0);
}

}  // namespace prof::snapshot
