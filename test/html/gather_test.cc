// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather.h"

#include <algorithm>
#include <string>

#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::html::gather_test {
namespace {

using test::SnapshotBuilder;

TimelineData DataOf(SnapshotBuilder* builder) {
  const Snapshot snapshot = builder->Snapshot();
  const auto model = ReadSnapshot(snapshot);
  REQUIRE(model.ok());
  return Gather(*model, Analyze(snapshot));
}

const Track* Find(const TimelineData& data, const std::string& kind, int lane = 0) {
  for (const Track& track : data.tracks) {
    if (track.kind == kind && track.lane == lane) return &track;
  }
  return nullptr;
}

TEST_CASE("each stream has a track, and a kernel has its row of the report and its range") {
  SnapshotBuilder b;
  const uint32_t saxpy = b.Shape("saxpy", {132}, {256});
  b.Range("step", 0, 90'000);
  b.Kernel(saxpy, "step", 20'000, 30'000);
  b.Kernel(saxpy, "step", 40'000, 50'000);
  const TimelineData data = DataOf(&b);
  REQUIRE(Find(data, "stream") != nullptr);
  CHECK(Find(data, "stream")->events == 2);
  CHECK(Find(data, "stream")->group == "GPU 0");
  REQUIRE(data.ranges.size() == 1);
  CHECK(data.ranges[0].label == "step");
  CHECK(data.ranges[0].gpu_ns == 20'000);
  const auto name = std::find_if(data.names.begin(), data.names.end(),
                                 [](const Name& one) { return one.label == "saxpy"; });
  REQUIRE(name != data.names.end());
  CHECK(name->kernel == 0);
  CHECK(name->range == 0);
}

TEST_CASE("operations of one stream that overlap have a track each") {
  SnapshotBuilder b;
  const uint32_t saxpy = b.Shape("saxpy", {132}, {256});
  b.Kernel(saxpy, "", 20'000, 40'000);
  b.Kernel(saxpy, "", 30'000, 50'000);
  const TimelineData data = DataOf(&b);
  REQUIRE(Find(data, "stream", 1) != nullptr);
  CHECK(Find(data, "stream", 0)->events == 1);
  CHECK(Find(data, "stream", 1)->events == 1);
}

TEST_CASE("ranges inside of a range stand below it") {
  SnapshotBuilder b;
  b.Range("outer", 0, 90'000);
  b.Range("outer/inner", 10'000, 20'000);
  const TimelineData data = DataOf(&b);
  REQUIRE(data.ranges.size() == 2);
  CHECK(data.ranges[1].name == "inner");
  CHECK(data.ranges[1].parent == 0);
  CHECK(data.ranges[1].host_ns == 10'000);
}

TEST_CASE("ops of PyTorch are no ranges of the page") {
  SnapshotBuilder b;
  const uint32_t op = b.TorchOp(0, "aten::mul");
  b.Range("step", 0, 90'000);
  b.TorchStep(10'000, op);
  b.Kernel(b.Shape("mul", {1}, {32}), "", 21'000, 22'000);
  b.TorchStep(20'000, 0);
  const TimelineData data = DataOf(&b);
  REQUIRE(data.ranges.size() == 1);
  CHECK(data.ranges[0].label == "step");
  CHECK(data.ranges[0].gpu_ns == 1'000);
}

TEST_CASE("an allocation and its free are changes of the range that allocated") {
  SnapshotBuilder b;
  b.Allocate(0x1000, 4096, "setup", 10'000);
  b.Free(0x1000, 20'000);
  const TimelineData data = DataOf(&b);
  REQUIRE(Find(data, "memory") != nullptr);
  CHECK(Find(data, "memory")->events == 2);
  CHECK(data.owners == std::vector<std::string>{"setup"});
}

TEST_CASE("memory has the families of ranges that the report's ledger has") {
  SnapshotBuilder b;
  b.Allocate(0x1000, 4096, "", 10'000);
  for (int i = 0; i < 3; ++i) {
    b.Allocate(0x2000 + 0x1000 * static_cast<uint64_t>(i), 4096, "layer " + std::to_string(i),
               20'000 + 10'000 * i);
  }
  CHECK(DataOf(&b).owners == std::vector<std::string>{"(no range)", "layer * (3 ranges)"});
}

TEST_CASE("an empty recording has no tracks") {
  SnapshotBuilder b;
  const TimelineData data = DataOf(&b);
  CHECK(data.tracks.empty());
  CHECK(data.blocks.empty());
}

}  // namespace
}  // namespace prof::html::gather_test
