// SPDX-License-Identifier: Apache-2.0
//
// These tests hold the enums against snapshot.proto.
#include "lib/format/enums.h"

#include <google/protobuf/descriptor.h>

#include <cctype>
#include <string>

#include "prof/snapshot.pb.h"
#include "test/support/catch.h"

namespace prof::format::enums_test {
namespace {

namespace pb = google::protobuf;

// "non-blocking" is "_NON_BLOCKING" at the end of "STREAM_NON_BLOCKING".
std::string InSchema(const char* name) {
  std::string ending = "_";
  for (; *name != '\0'; ++name) {
    const bool part = std::isalnum(static_cast<unsigned char>(*name)) != 0;
    ending += part ? static_cast<char>(std::toupper(static_cast<unsigned char>(*name))) : '_';
  }
  return ending;
}

bool EndsWith(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

template <typename Enum>
void CheckAgainst(const pb::EnumDescriptor& schema) {
  INFO(schema.full_name());
  REQUIRE(static_cast<size_t>(schema.value_count()) == kNames<Enum>.size());
  for (int i = 0; i < schema.value_count(); ++i) {
    const pb::EnumValueDescriptor& value = *schema.value(i);
    INFO(value.name());
    CHECK(value.number() == i);
    CHECK(static_cast<int>(FromNumber<Enum>(i)) == i);
    CHECK(EndsWith(value.name(), InSchema(kNames<Enum>[static_cast<size_t>(i)])));
  }
}

TEST_CASE("Each enum has the numbers and the names of the schema") {
  CheckAgainst<AllocationOperation>(*wire::AllocationOperation_descriptor());
  CheckAgainst<ChannelType>(*wire::ChannelType_descriptor());
  CheckAgainst<CopyKind>(*wire::CopyKind_descriptor());
  CheckAgainst<MemoryKind>(*wire::MemoryKind_descriptor());
  CheckAgainst<HostSampleKind>(*wire::HostSampleKind_descriptor());
  CheckAgainst<HostState>(*wire::HostState_descriptor());
  CheckAgainst<NameKind>(*wire::NameKind_descriptor());
  CheckAgainst<PayloadType>(*wire::PayloadType_descriptor());
  CheckAgainst<PoolOperation>(*wire::PoolOperation_descriptor());
  CheckAgainst<PoolType>(*wire::PoolType_descriptor());
  CheckAgainst<GpuStateKind>(*wire::GpuStateKind_descriptor());
  CheckAgainst<ProfilerWork>(*wire::ProfilerWork_descriptor());
  CheckAgainst<SampleUnit>(*wire::SampleUnit_descriptor());
  CheckAgainst<Severity>(*wire::NoticeSeverity_descriptor());
  CheckAgainst<StreamFlag>(*wire::StreamFlag_descriptor());
  CheckAgainst<Subsystem>(*wire::Subsystem_descriptor());
  CheckAgainst<TorchScope>(*wire::TorchScope_descriptor());
  CheckAgainst<SyncKind>(*wire::SyncKind_descriptor());
  CheckAgainst<TensorChange>(*wire::TensorChange_descriptor());
  CheckAgainst<UnifiedMemoryKind>(*wire::UnifiedMemoryKind_descriptor());
  const pb::FileDescriptor& file = *wire::Block::descriptor()->file();
  CHECK(file.enum_type_count() == 20);  // none is missing above
}

TEST_CASE("A number of a newer version becomes the first enumerator") {
  const auto newer = static_cast<int>(kNames<CopyKind>.size());
  CHECK(FromNumber<CopyKind>(newer) == CopyKind::kUnknown);
  CHECK(FromNumber<CopyKind>(-1) == CopyKind::kUnknown);
  CHECK(FromNumber<PoolOperation>(4) == PoolOperation::kUnknown);  // kAllocation is the reader's
  CHECK(std::string(Name(static_cast<CopyKind>(99))) == "unknown");
}

}  // namespace
}  // namespace prof::format::enums_test
