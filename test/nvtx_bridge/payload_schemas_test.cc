// SPDX-License-Identifier: Apache-2.0
//
// Structures that a program describes by a schema, and attaches to its ranges.
#include "nvtx_bridge/payload_schemas.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "nvtx_bridge/handlers.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::payload_schemas_test {
namespace {

using nvtx::PayloadValues;

nvtxPayloadSchemaEntry_t Entry(uint64_t type, const char* name, uint64_t offset = 0,
                               uint64_t flags = 0) {
  nvtxPayloadSchemaEntry_t entry{};
  entry.flags = flags;
  entry.type = type;
  entry.name = name;
  entry.offset = offset;
  return entry;
}

// The id of a schema with these entries. `size` and `id`: 0 is not given.
uint64_t Schema(nvtxDomainHandle_t domain, const std::vector<nvtxPayloadSchemaEntry_t>& entries,
                size_t size = 0, uint64_t id = 0, size_t pack_align = 0) {
  nvtxPayloadSchemaAttr_t attributes{};
  attributes.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                         NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                         NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  attributes.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  attributes.entries = entries.data();
  attributes.numEntries = entries.size();
  if (size != 0) attributes.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  attributes.payloadStaticSize = size;
  if (id != 0) attributes.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  attributes.schemaId = id;
  if (pack_align != 0) attributes.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT;
  attributes.packAlign = pack_align;
  return nvtx::RegisterSchema(domain, &attributes, 0);
}

uint64_t Enum(nvtxDomainHandle_t domain, size_t size, uint64_t id) {
  nvtxPayloadEnumAttr_t attributes{};
  attributes.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
  attributes.sizeOfEnum = size;
  attributes.schemaId = id;
  return nvtx::RegisterEnum(domain, &attributes, 0);
}

std::string Text(const Payload& payload) {
  switch (payload.type) {
    case PayloadType::kInt64:
      return std::to_string(static_cast<int64_t>(payload.bits));
    case PayloadType::kUint64:
      return std::to_string(payload.bits) + "u";
    case PayloadType::kDouble: {
      double value = 0;
      std::memcpy(&value, &payload.bits, sizeof(value));
      return std::to_string(value);
    }
    case PayloadType::kFloat: {
      float value = 0;
      std::memcpy(&value, &payload.bits, sizeof(value));
      return std::to_string(value) + "f";
    }
    default:
      return "?";
  }
}

// "path.field=value" of each value that arrived.
std::vector<std::string> Arrived(Recording* recording) {
  recording->Drain();
  std::vector<std::string> texts;
  for (const Recording::PayloadText& payload : recording->payloads) {
    texts.push_back(payload.path + "." + std::string(payload.event.field) + "=" +
                    Text(payload.event.payload));
  }
  return texts;
}

using Texts = std::vector<std::string>;

// The attributes of a range with one payload, as NVTX's macros fill them.
struct Event {
  Event(const char* name, uint64_t schema, const void* payload, size_t size)
      : data{schema, size, payload} {
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    NVTX_PAYLOAD_EVTATTR_SET_DATA(attributes, &data, schema, payload, size);
  }
  nvtxPayloadData_t data;
  nvtxEventAttributes_t attributes{};
};

// Pushes and pops a range of `domain`.
void Range(nvtxDomainHandle_t domain, const Event& event) {
  nvtx::DomainRangePushEx(domain, &event.attributes);
  nvtx::DomainRangePop(domain);
}

// NCCL's structures, and its ids.
constexpr uint64_t kFirst = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START;
constexpr uint64_t kAllReduce = kFirst + 5, kInit = kFirst, kOperation = kFirst + 24;
struct AllReduce {
  uint64_t communicator, bytes;
  int32_t operation;
};
struct Init {
  uint64_t communicator;
  int32_t ranks, rank, device;
};

TEST_CASE("A collective has its communicator, its bytes and its operation") {
  Recording recording;
  nvtxDomainHandle_t nccl = nvtx::DomainCreateA("NCCL");
  REQUIRE(Enum(nccl, sizeof(int32_t), kOperation) == kOperation);
  REQUIRE(Schema(nccl,
                 {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "communicator"),
                  Entry(NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", 8),
                  Entry(kOperation, "Reduction operation", 16)},
                 sizeof(AllReduce), kAllReduce) == kAllReduce);
  const AllReduce all_reduce = {0xfedcba9876543210, 1 << 20, 2};
  Range(nccl, Event("ncclAllReduce", kAllReduce, &all_reduce, sizeof(all_reduce)));
  CHECK(Arrived(&recording) == Texts{"NCCL:ncclAllReduce.communicator=18364758544493064720u",
                                     "NCCL:ncclAllReduce.Message size [bytes]=1048576u",
                                     "NCCL:ncclAllReduce.Reduction operation=2"});
  CHECK(recording.payloads[2].event.time_ns == recording.steps.at(0).time_ns);
  CHECK(recording.reader.payloads_not_read() == 0);
}

TEST_CASE("A payload that comes with the end belongs to the range that ends") {
  Recording recording;
  nvtxDomainHandle_t nccl = nvtx::DomainCreateA("NCCL");
  Schema(nccl,
         {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "communicator"),
          Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "ranks", 8),
          Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "rank", 12),
          Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "CUDA device", 16)},
         sizeof(Init), kInit);
  const Init init = {7, 8, 3, 3};
  const nvtxPayloadData_t data = {kInit, sizeof(init), &init};
  const Event event("ncclCommInitRank", 0, nullptr, 0);
  nvtx::DomainRangePushEx(nccl, &event.attributes);
  nvtx::DomainRangePopWith(nccl, PayloadValues(nccl, &data, 1).values());
  CHECK(Arrived(&recording) ==
        Texts{"NCCL:ncclCommInitRank.communicator=7u", "NCCL:ncclCommInitRank.ranks=8",
              "NCCL:ncclCommInitRank.rank=3", "NCCL:ncclCommInitRank.CUDA device=3"});
  CHECK(recording.payloads[0].event.time_ns >= recording.steps.at(0).time_ns);
  const nvtxRangeId_t span = nvtx::DomainRangeStartEx(nccl, &event.attributes);
  EndRange(span, PayloadValues(nccl, &data, 1).values());
  CHECK(Arrived(&recording).size() == 8);
  CHECK(recording.reader.payloads_not_read() == 0);
}

TEST_CASE("Numbers of every width arrive with their sign") {
  Recording recording;
  struct {
    int8_t i8 = -1;
    uint8_t u8 = 255;
    int16_t i16 = -2;
    uint16_t u16 = 65535;
    int32_t i32 = -3;
    uint32_t u32 = 4'000'000'000;
    int64_t i64 = INT64_MIN;
    float f32 = 0.5;
    double f64 = -0.25;
  } value;
  const uint64_t schema = Schema(
      nullptr,
      {Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT8, "i8"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "u8"),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT16, "i16"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "u16"),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "i32"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "u32"),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "i64"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "f32"),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "f64")});
  REQUIRE(schema >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  Range(nullptr, Event("r", schema, &value, sizeof(value)));
  // Without offsets, by the alignment of C.
  CHECK(Arrived(&recording) == Texts{"r.i8=-1", "r.u8=255u", "r.i16=-2", "r.u16=65535u", "r.i32=-3",
                                     "r.u32=4000000000u", "r.i64=-9223372036854775808",
                                     "r.f32=0.500000f", "r.f64=-0.250000"});
}

TEST_CASE("Packed structures are read without gaps") {
  Recording recording;
  const uint64_t schema = Schema(
      nullptr,
      {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "a"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "b")}, 0, 0,
      1);
  const unsigned char bytes[] = {9, 1, 2, 0, 0};
  Range(nullptr, Event("packed", schema, bytes, sizeof(bytes)));
  CHECK(Arrived(&recording) == Texts{"packed.a=9u", "packed.b=513u"});
}

TEST_CASE("A payload that is one number needs no schema") {
  Recording recording;
  const int32_t value = -7;
  Range(nullptr, Event("plain", NVTX_PAYLOAD_ENTRY_TYPE_INT32, &value, sizeof(value)));
  CHECK(Arrived(&recording) == Texts{"plain.=-7"});
  const int32_t values[] = {1, 2};  // an array
  Range(nullptr, Event("plain", NVTX_PAYLOAD_ENTRY_TYPE_INT32, values, sizeof(values)));
  CHECK(Arrived(&recording).size() == 1);
  CHECK(recording.reader.payloads_not_read() == 1);
}

TEST_CASE("What is no number is counted, and the numbers around it arrive") {
  Recording recording;
  struct {
    uint64_t before = 1;
    const char* text = "text";
    uint32_t list[2] = {5, 6};
    uint64_t after = 2;
  } value;
  const uint64_t schema = Schema(
      nullptr,
      {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "before"),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", 8),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "list", 16, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "where nobody knows"),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "after", 24)});
  Range(nullptr, Event("r", schema, &value, sizeof(value)));
  CHECK(Arrived(&recording) == Texts{"r.before=1u", "r.after=2u"});
  CHECK(recording.reader.payloads_not_read() == 1);
}

TEST_CASE("Registered strings in a payload are no loss, and the numbers behind them arrive") {
  Recording recording;
  struct {
    uint32_t before = 1;
    nvtxStringHandle_t name = nullptr;
    uint64_t after = 2;
  } value;
  const uint64_t schema =
      Schema(nullptr, {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "before"),
                       Entry(NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "name"),
                       Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "after")});
  Range(nullptr, Event("r", schema, &value, sizeof(value)));
  const uint64_t name_only =
      Schema(nullptr, {Entry(NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "name")});
  Range(nullptr, Event("s", name_only, &value.name, sizeof(value.name)));
  CHECK(Arrived(&recording) == Texts{"r.before=1u", "r.after=2u"});
  CHECK(recording.reader.payloads_not_read() == 0);
}

TEST_CASE("Nothing behind the end of a payload is read") {
  Recording recording;
  const uint64_t schema =
      Schema(nullptr, {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "a"),
                       Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "b", 4),
                       Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "far", 1ULL << 40)});
  const std::vector<uint32_t> one = {3};  // AddressSanitizer sees a read behind it
  Range(nullptr, Event("short", schema, one.data(), sizeof(uint32_t)));
  CHECK(Arrived(&recording) == Texts{"short.a=3u"});
  Range(nullptr, Event("size unknown", schema, one.data(), SIZE_MAX));
  Range(nullptr, Event("no payload", schema, nullptr, 8));
  CHECK(Arrived(&recording).size() == 1);
  CHECK(recording.reader.payloads_not_read() == 3);

  const uint64_t with_size =
      Schema(nullptr, {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "a")}, sizeof(uint32_t));
  Range(nullptr, Event("size by schema", with_size, one.data(), SIZE_MAX));
  CHECK(Arrived(&recording).back() == "size by schema.a=3u");
}

TEST_CASE("Ids belong to a domain, unknown ones are counted, and the last schema of an id counts") {
  Recording recording;
  nvtxDomainHandle_t one = nvtx::DomainCreateA("one"), other = nvtx::DomainCreateA("other");
  const uint64_t id = kFirst + 1000;
  const uint32_t values[] = {1, 2};
  Schema(one, {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "first")}, 0, id);
  Range(one, Event("r", id, values, sizeof(values)));
  Range(other, Event("r", id, values, sizeof(values)));
  Schema(one,
         {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "unused"),
          Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "second", 4)},
         0, id);
  Range(one, Event("r", id, values, sizeof(values)));
  CHECK(Arrived(&recording) == Texts{"one:r.first=1u", "one:r.unused=1u", "one:r.second=2u"});
  CHECK(recording.reader.payloads_not_read() == 1);
}

TEST_CASE("Of a payload with many numbers sixteen arrive, and the loss is counted") {
  Recording recording;
  std::vector<std::string> names;
  std::vector<nvtxPayloadSchemaEntry_t> entries;
  for (int i = 0; i < 20; ++i) names.push_back("f" + std::to_string(i));
  for (const std::string& name : names) {
    entries.push_back(Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT8, name.c_str(), entries.size()));
  }
  const std::vector<unsigned char> values(20, 4);
  const uint64_t schema = Schema(nullptr, entries);
  Range(nullptr, Event("wide", schema, values.data(), values.size()));
  CHECK(Arrived(&recording).size() == 16);
  CHECK(recording.reader.payloads_not_read() == 1);
}

TEST_CASE("Schemas without end fill their table, and no more") {
  Recording recording;
  for (uint64_t i = 0; i < 2000; ++i) {
    Schema(nullptr, {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "a")}, 0, kFirst + 2000 + i);
  }
  const uint32_t value = 1;
  Range(nullptr, Event("late", kFirst + 3999, &value, sizeof(value)));
  CHECK(Arrived(&recording).empty());
  CHECK(recording.reader.payloads_not_read() == 1);
}

}  // namespace
}  // namespace prof::capture::payload_schemas_test
