// SPDX-License-Identifier: Apache-2.0
//
// These tests read the driver's readings from correct and from damaged files.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::gpu_state_test {
namespace {

using Catch::Contains;
using test::SnapshotBuilder;

void AddSome(SnapshotBuilder* b) {
  b->State({model::GpuStateKind::kPower, 0, 698'500, 700'000, 0, 12'000});
  b->State({model::GpuStateKind::kClocks, 0, 1'335, 2'619, 0x44, 11'000});
  b->State({model::GpuStateKind::kTemperature, 1, 64, 0, 0, 13'000});
}

std::string Refusal(std::function<void(wire::Block&)> edit) {
  SnapshotBuilder b;
  AddSome(&b);
  b.edit = std::move(edit);
  return std::string(ReadSnapshot(b.Bytes()).status().message());
}

TEST_CASE("Readings of the state of a GPU come back as they were written, by time") {
  for (const int blocks : {1, 3}) {
    INFO(blocks << " blocks");
    SnapshotBuilder b;
    AddSome(&b);
    const absl::StatusOr<model::Model> read = ReadSnapshot(b.Bytes(blocks));
    REQUIRE(read.ok());
    const std::vector<model::GpuState>& states = read->gpu_states;
    REQUIRE(states.size() == 3);
    CHECK(states[0].kind == model::GpuStateKind::kClocks);
    CHECK(states[0].time_ns == 11'000);
    CHECK(states[0].value == 1'335);
    CHECK(states[0].second == 2'619);
    CHECK(states[0].reasons == 0x44);
    CHECK(states[1].kind == model::GpuStateKind::kPower);
    CHECK(states[1].value == 698'500);
    CHECK(states[2].device == 1);
    CHECK(states[2].time_ns == 13'000);
  }
}

TEST_CASE("A reading of a kind that a newer version writes is of an unknown kind") {
  SnapshotBuilder b;
  AddSome(&b);
  b.edit = [](wire::Block& block) {
    block.mutable_gpu_states()->set_kind(0, static_cast<wire::GpuStateKind>(77));
  };
  const absl::StatusOr<model::Model> read = ReadSnapshot(b.Bytes());
  REQUIRE(read.ok());
  CHECK(read->gpu_states[1].kind == model::GpuStateKind::kUnknown);
}

TEST_CASE("Readings whose columns differ in length, or whose time is impossible, are refused") {
  CHECK_THAT(Refusal([](wire::Block& block) { block.mutable_gpu_states()->add_reasons(1); }),
             Contains("readings of the state of a GPU"));
  CHECK_THAT(
      Refusal([](wire::Block& block) { block.mutable_gpu_states()->set_base_ns(INT64_MAX); }),
      Contains("readings of the state of a GPU"));
}

}  // namespace
}  // namespace prof::gpu_state_test
