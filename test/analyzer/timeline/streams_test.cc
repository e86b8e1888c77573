// SPDX-License-Identifier: Apache-2.0
//
// Streams in the report: their priorities, and their channels, which make no stream of their own.
#include <sstream>
#include <string>

#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::streams_test {
namespace {

using test::Launch;
using test::SnapshotBuilder;

Launch On(uint32_t stream, uint32_t channel = 0) {
  Launch launch;
  launch.stream = stream;
  launch.channel = channel;
  return launch;
}

TEST_CASE("Two channels of one stream are one stream, one device and one timeline") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "step", 100'000, 200'000, On(7, 3));
  b.Kernel(shape, "step", 200'000, 300'000, On(7, 4));
  b.Kernel(shape, "step", 300'000, 400'000, On(7));
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.streams.size() == 1);
  CHECK(report.streams[0].stream == 7);
  CHECK(report.streams[0].operations == 3);
  CHECK(report.streams[0].time_ns == 300'000);
  CHECK(report.streams[0].channels == 2);
  CHECK_FALSE(report.streams[0].priority);
  REQUIRE(report.devices.size() == 1);
  CHECK(report.devices[0].busy_ns == 300'000);
  CHECK(report.devices[0].idle_ns == 0);
  CHECK(report.gaps.empty());
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels[0].launches == 3);
}

TEST_CASE("A stream has the priority and kind of its last record") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "", 100'000, 200'000, On(7));
  b.Kernel(shape, "", 200'000, 500'000, On(13));
  b.Stream({1, 7, 0, model::StreamFlag::kNull});
  b.Stream({1, 13, 0, model::StreamFlag::kDefault});
  b.Stream({1, 13, -5, model::StreamFlag::kNonBlocking});
  b.Stream({1, 99, -2, model::StreamFlag::kDefault});  // ran nothing
  b.Stream({2, 7, -3, model::StreamFlag::kDefault});   // another context's
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.streams.size() == 2);
  CHECK(report.streams[0].stream == 13);
  CHECK(report.streams[0].priority == -5);
  CHECK(report.streams[0].kind == "non-blocking");
  CHECK(report.streams[1].priority == 0);
  CHECK(report.streams[1].kind == "null");
  std::ostringstream text;
  text << report;
  CHECK_THAT(text.str(), Catch::Contains("Streams of different priority"));
}

TEST_CASE("Streams of equal priority are no section of the text") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "", 100'000, 200'000, On(7));
  b.Kernel(shape, "", 200'000, 500'000, On(13));
  b.Stream({1, 7, 0, model::StreamFlag::kNull});
  b.Stream({1, 13, 0, model::StreamFlag::kNonBlocking});
  std::ostringstream text;
  text << Analyze(b.Snapshot());
  CHECK_THAT(text.str(), !Catch::Contains("priority"));
}

TEST_CASE("Kinds of streams and channels that this version does not know are unknown") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {132}, {256}), "", 100'000, 200'000, On(7, 3));
  b.Stream({1, 7, -1, model::StreamFlag::kDefault});
  b.edit = [](wire::Block& block) {
    block.mutable_lanes(0)->set_channel_type(static_cast<wire::ChannelType>(77));
    block.mutable_streams(0)->set_flag(static_cast<wire::StreamFlag>(-3));
  };
  const auto model = ReadSnapshot(b.Bytes());
  REQUIRE(model.ok());
  CHECK(model->ops[0].channel_type == model::ChannelType::kUnknown);
  REQUIRE(model->streams.size() == 1);
  CHECK(model->streams[0].flag == model::StreamFlag::kUnknown);
  CHECK(model->streams[0].priority == -1);
}

}  // namespace
}  // namespace prof::streams_test
