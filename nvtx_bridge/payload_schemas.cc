// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/payload_schemas.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "lib/capture/threads/thread_registry.h"
#include "nvtx_bridge/handle_map.h"
#include "nvtx_bridge/text.h"

namespace prof::nvtx {
namespace {

using capture::Payload;
using capture::PayloadType;

enum class Kind : uint8_t { kNone, kSigned, kUnsigned, kFloating };

// A number in memory.
struct Number {
  Kind kind = Kind::kNone;
  uint8_t size = 0;
};

struct Field {
  uint32_t offset = 0, name = 0;  // name: RangeStrings::PlaceOf
  Number number;
};

// A structure, or an enumeration: that has `number`, and no fields.
struct Schema {
  uint32_t fields = 0;
  bool whole = true;   // all of its numbers can be read
  bool texts = false;  // it has registered strings: names, which are no numbers and no loss
  size_t size = 0;     // 0: not known
  Number number;
  std::array<Field, kMostPayloadFields> field;
};

// NCCL has 24 schemas.
constexpr uint32_t kMostSchemas = 512;
Schema schemas[kMostSchemas];
std::atomic<uint32_t> schema_count{0};
HandleMap<1 << 12> places;  // from domain and id to the schema's place, from 1
std::atomic<uint64_t> next_id{NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START};

// The predefined types, whose numbers are those of this machine.
Number NumberOf(uint64_t type) {
  const auto integer = [](auto value) {
    constexpr bool kIsSigned = std::is_signed_v<decltype(value)>;
    return Number{kIsSigned ? Kind::kSigned : Kind::kUnsigned, sizeof(value)};
  };
  switch (type) {
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR:
      return integer(char{});
    case NVTX_PAYLOAD_ENTRY_TYPE_SHORT:
      return integer(short{});
    case NVTX_PAYLOAD_ENTRY_TYPE_USHORT:
      return integer(static_cast<unsigned short>(0));
    case NVTX_PAYLOAD_ENTRY_TYPE_INT:
      return integer(int{});
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT:
      return integer(0U);
    case NVTX_PAYLOAD_ENTRY_TYPE_LONG:
      return integer(0L);
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONG:
      return integer(0UL);
    case NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG:
      return integer(0LL);
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG:
      return integer(0ULL);
    case NVTX_PAYLOAD_ENTRY_TYPE_INT8:
      return integer(int8_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_UCHAR:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT8:
    case NVTX_PAYLOAD_ENTRY_TYPE_BYTE:
      return integer(uint8_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_INT16:
      return integer(int16_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT16:
      return integer(uint16_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_INT32:
      return integer(int32_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32:
      return integer(uint32_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_INT64:
      return integer(int64_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64:
      return integer(uint64_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_SIZE:
      return integer(size_t{});
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32:
      return {Kind::kFloating, sizeof(float)};
    case NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64:
      return {Kind::kFloating, sizeof(double)};
    default:
      return {};
  }
}

uint64_t Key(nvtxDomainHandle_t domain, uint64_t id) {
  return capture::MixHash(reinterpret_cast<uintptr_t>(domain), id);
}

const Schema* Find(nvtxDomainHandle_t domain, uint64_t id) {
  const uint64_t place = places.Find(Key(domain, id));
  return place == 0 ? nullptr : &schemas[place - 1];
}

// `fill` writes a schema that nobody sees yet.
template <typename Fill>
uint64_t Register(nvtxDomainHandle_t domain, uint64_t id, Fill fill) {
  const uint32_t place = schema_count.fetch_add(1, std::memory_order_relaxed);
  if (place >= kMostSchemas) {
    schema_count.store(kMostSchemas, std::memory_order_relaxed);
    return id;
  }
  fill(&schemas[place]);
  if (id == 0) id = next_id.fetch_add(1, std::memory_order_relaxed);
  return places.Set(Key(domain, id), place + 1) ? id : 0;
}

size_t Aligned(size_t offset, size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

constexpr size_t kUnknown = SIZE_MAX;
// NVTX_PAYLOAD_ENTRY_FLAG_IS_ARRAY lacks the last of the four kinds.
constexpr uint64_t kArrayFlags = 7U << 4U;

// `end`: of the entry before, where this one is if it has no offset.
void AddField(nvtxDomainHandle_t domain, const nvtxPayloadSchemaEntry_t& entry, bool has_offset,
              size_t pack_align, size_t* end, Schema* schema) {
  constexpr uint64_t kNoNumber = NVTX_PAYLOAD_ENTRY_FLAG_POINTER |
                                 NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
                                 NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE | kArrayFlags;
  Number number;
  if ((entry.flags & kNoNumber) == 0) {
    const Schema* other = Find(domain, entry.type);
    number = other != nullptr ? other->number : NumberOf(entry.type);
  }
  if ((entry.flags & kNoNumber) == 0 &&
      entry.type == NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE) {
    schema->texts = true;
    constexpr size_t kSize = sizeof(nvtxStringHandle_t);
    const size_t alignment = pack_align == 0 ? kSize : std::min(pack_align, kSize);
    if (has_offset) *end = entry.offset;
    if (*end != kUnknown) *end = Aligned(*end, alignment) + kSize;
    return;
  }
  if (number.kind == Kind::kNone || schema->fields == kMostPayloadFields ||
      (!has_offset && *end == kUnknown)) {
    schema->whole = false;
    *end = kUnknown;
    return;
  }
  const size_t alignment =
      pack_align == 0 ? number.size : std::min<size_t>(pack_align, number.size);
  const size_t offset = has_offset ? entry.offset : Aligned(*end, alignment);
  *end = offset + number.size;
  // Fields without a name of their own are numbered.
  std::string_view name = FromNarrow(entry.name);
  std::array<char, 16> number_text;
  if (name.empty()) {
    const int size = std::snprintf(number_text.data(), number_text.size(), "#%u", schema->fields);
    name = {number_text.data(), static_cast<size_t>(size)};
  }
  capture::RangeStrings& strings = capture::thread_registry.strings;
  const uint32_t place =
      strings.PlaceOf(strings.Intern(name, capture::RangeStrings::Room::kReserved));
  if (place == 0) {  // no room
    schema->whole = false;
    return;
  }
  Field& field = schema->field[schema->fields++];
  field.offset = static_cast<uint32_t>(std::min<size_t>(offset, UINT32_MAX));
  field.number = number;
  field.name = place;
}

Payload ValueOf(const void* at, Number number) {
  uint64_t bits = 0;  // little endian: the low bytes
  std::memcpy(&bits, at, number.size);
  switch (number.kind) {
    case Kind::kFloating:
      return {number.size == sizeof(float) ? PayloadType::kFloat : PayloadType::kDouble, bits};
    case Kind::kSigned: {
      const unsigned unused = (sizeof(bits) - number.size) * CHAR_BIT;
      const auto value = static_cast<int64_t>(bits << unused) >> unused;
      return {PayloadType::kInt64, static_cast<uint64_t>(value)};
    }
    case Kind::kUnsigned:
      return {PayloadType::kUint64, bits};
    case Kind::kNone:
      break;
  }
  return {};
}

}  // namespace

uint64_t RegisterSchema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* attributes,
                        uint64_t id) {
  constexpr uint64_t kMandatory = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  if (attributes == nullptr || (attributes->fieldMask & kMandatory) != kMandatory ||
      attributes->entries == nullptr) {
    return id;
  }
  const auto has = [&](uint64_t field) { return (attributes->fieldMask & field) != 0; };
  if (id == 0 && has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID)) id = attributes->schemaId;
  return Register(domain, id, [&](Schema* schema) {
    if (has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE))
      schema->size = attributes->payloadStaticSize;
    if (attributes->type != NVTX_PAYLOAD_SCHEMA_TYPE_STATIC) {
      schema->whole = false;
      return;
    }
    const size_t pack_align =
        has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT) ? attributes->packAlign : 0;
    size_t end = 0;
    for (size_t i = 0; i < attributes->numEntries; ++i) {
      const nvtxPayloadSchemaEntry_t& entry = attributes->entries[i];
      AddField(domain, entry, i == 0 || entry.offset != 0, pack_align, &end, schema);
    }
  });
}

uint64_t RegisterEnum(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attributes,
                      uint64_t id) {
  if (attributes == nullptr) return id;
  const auto has = [&](uint64_t field) { return (attributes->fieldMask & field) != 0; };
  if (id == 0 && has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID)) id = attributes->schemaId;
  return Register(domain, id, [&](Schema* schema) {
    const size_t size =
        has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE) ? attributes->sizeOfEnum : sizeof(int);
    if (size > 0 && size <= sizeof(uint64_t))
      schema->number = {Kind::kSigned, static_cast<uint8_t>(size)};
  });
}

PayloadValues::PayloadValues(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data,
                             size_t count) {
  bool whole = true;
  for (size_t i = 0; data != nullptr && i < count; ++i) whole = Read(domain, data[i]) && whole;
  if (!whole) capture::CountUnreadPayload();
}

bool PayloadValues::Read(nvtxDomainHandle_t domain, const nvtxPayloadData_t& data) {
  if (data.payload == nullptr) return data.size == 0;
  const Schema* schema = Find(domain, data.schemaId);
  const Number plain = schema != nullptr ? schema->number : NumberOf(data.schemaId);
  if (plain.kind != Kind::kNone) {  // the payload is one number, or an array of them
    if (data.size != plain.size || count_ == kMostPayloadFields) return false;
    values_[count_++] = ValueOf(data.payload, plain);
    return true;
  }
  // Two libraries of one domain may have different structures under one id.
  if (schema == nullptr ||
      (schema->size != 0 && data.size != SIZE_MAX && data.size != schema->size)) {
    return false;
  }
  const size_t size = data.size == SIZE_MAX ? schema->size : data.size;
  bool whole = schema->whole && (schema->fields > 0 || schema->texts);
  for (uint32_t i = 0; i < schema->fields; ++i) {
    const Field& field = schema->field[i];
    if (count_ == kMostPayloadFields || size_t{field.offset} + field.number.size > size) {
      whole = false;
      continue;
    }
    Payload& value = values_[count_++];
    value = ValueOf(static_cast<const char*>(data.payload) + field.offset, field.number);
    value.field = field.name;
  }
  return whole;
}

}  // namespace prof::nvtx
