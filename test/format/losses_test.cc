// SPDX-License-Identifier: Apache-2.0
//
// These tests hold the table of losses against Integrity and against snapshot.proto.
#include "lib/format/losses.h"

#include <google/protobuf/descriptor.h>

#include <iterator>
#include <string>

#include "prof/snapshot.pb.h"
#include "test/support/catch.h"

namespace prof::format::losses_test {
namespace {

namespace pb = google::protobuf;

constexpr size_t kCounts = std::size(kIntegrityCounts), kFlags = std::size(kIntegrityFlags);

TEST_CASE("Each count and flag of Integrity has a row of its own") {
  static_assert(sizeof(Integrity) == kCounts * sizeof(uint64_t) + 8 && kFlags <= 8,
                "a member of Integrity has no row in lib/format/losses.h");
  for (const IntegrityCount& row : kIntegrityCounts) {
    INFO(row.name);
    Integrity integrity;
    integrity.*row.count = 1;
    size_t set = 0;
    for (const IntegrityCount& other : kIntegrityCounts) set += integrity.*other.count;
    CHECK(set == 1);
  }
  Integrity integrity;
  for (const IntegrityFlag& row : kIntegrityFlags) {
    CHECK_FALSE(integrity.*row.flag);
    integrity.*row.flag = true;
  }
}

TEST_CASE("Each row has the name, the number and the type of a field of the schema") {
  const pb::Descriptor& schema = *wire::Integrity::descriptor();
  CHECK(static_cast<size_t>(schema.field_count()) == kCounts + kFlags);
  for (const IntegrityCount& row : kIntegrityCounts) {
    INFO(row.name);
    const pb::FieldDescriptor* field = schema.FindFieldByName(row.name);
    REQUIRE(field != nullptr);
    CHECK(static_cast<uint32_t>(field->number()) == row.field);
    CHECK(field->type() == pb::FieldDescriptor::TYPE_UINT64);
  }
  for (const IntegrityFlag& row : kIntegrityFlags) {
    INFO(row.name);
    const pb::FieldDescriptor* field = schema.FindFieldByName(row.name);
    REQUIRE(field != nullptr);
    CHECK(static_cast<uint32_t>(field->number()) == row.field);
    CHECK(field->type() == pb::FieldDescriptor::TYPE_BOOL);
  }
}

TEST_CASE("A capture with any loss is not complete, and other counts change nothing") {
  CHECK(Integrity{}.complete());
  for (const IntegrityCount& row : kIntegrityCounts) {
    INFO(row.name);
    Integrity integrity;
    integrity.*row.count = 1;
    CHECK(integrity.complete() == (row.doubt == Doubt::kNothing));
  }
  for (const IntegrityFlag& row : kIntegrityFlags) {
    INFO(row.name);
    Integrity integrity;
    integrity.*row.flag = true;
    CHECK_FALSE(integrity.complete());
  }
}

TEST_CASE("Each loss has a label and a sentence") {
  for (const IntegrityCount& row : kIntegrityCounts) {
    if (row.doubt == Doubt::kNothing) continue;
    INFO(row.name);
    CHECK(std::string(row.label) != "");
    CHECK(std::string(row.one) != "");
    CHECK(std::string(row.many) != "");
    // The report ends the sentences of lost operations itself.
    const bool ends = std::string(row.rest).back() == '.';
    CHECK(ends == (row.doubt != Doubt::kOperations));
  }
}

}  // namespace
}  // namespace prof::format::losses_test
