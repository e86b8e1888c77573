// SPDX-License-Identifier: Apache-2.0
//
// These tests read PM samples, and join the counter samples of ranges and graphs.
#include <cmath>

#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::pm_test {
namespace {

using test::Launch;
using test::SnapshotBuilder;

model::Model Read(SnapshotBuilder& builder, int blocks = 1) {
  absl::StatusOr<model::Model> model = ReadSnapshot(builder.Bytes(blocks));
  INFO(model.status().ToString());
  REQUIRE(model.ok());
  REQUIRE(model->truncation.empty());
  return *std::move(model);
}

model::PmSeries Pm() {
  model::PmSeries pm;
  pm.device = 1;
  pm.interval_ns = 100;
  pm.metrics = {"dram", "l2"};
  pm.scales = {0.5, 0.05};
  pm.begin_ns = {1000, 1100, 1300, 1500};
  pm.end_ns = {1100, 1300, 1403, 1600};
  pm.samples = {1, 2, 1, 1};
  pm.values = {50, 1, 50.5, 2, std::nanf(""), 3, 49, 4};
  return pm;
}

void CheckSame(const model::PmSeries& read, const model::PmSeries& written) {
  CHECK(read.device == written.device);
  CHECK(read.interval_ns == written.interval_ns);
  CHECK(read.metrics == written.metrics);
  CHECK(read.scales == written.scales);
  CHECK(read.begin_ns == written.begin_ns);
  CHECK(read.end_ns == written.end_ns);
  CHECK(read.samples == written.samples);
  REQUIRE(read.values.size() == written.values.size());
  for (size_t i = 0; i < read.values.size(); ++i) {
    INFO("value " << i);
    CHECK(std::isnan(read.values[i]) == std::isnan(written.values[i]));
    if (!std::isnan(read.values[i])) CHECK(read.values[i] == Approx(written.values[i]));
  }
}

TEST_CASE("PM samples come back with their times, counts, values and missing values") {
  for (const int blocks : {1, 2, 4}) {
    SnapshotBuilder b;
    b.Pm(Pm());
    const model::Model m = Read(b, blocks);
    REQUIRE(m.pm_series.size() == 1);
    CheckSame(m.pm_series[0], Pm());
  }
}

TEST_CASE("PM samples that were written out of order are in time order in the model") {
  model::PmSeries mixed = Pm();
  mixed.begin_ns = {1500, 1000, 1100, 1300};
  mixed.end_ns = {1600, 1100, 1300, 1403};
  mixed.samples = {1, 1, 2, 1};
  mixed.values = {49, 4, 50, 1, 50.5, 2, std::nanf(""), 3};
  SnapshotBuilder b;
  b.Pm(mixed);
  CheckSame(Read(b).pm_series.at(0), Pm());
}

TEST_CASE("A snapshot without PM samples has no series and kernel samples only") {
  SnapshotBuilder b;
  b.Sample(b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000), {{"dram", 1}});
  const model::Model m = Read(b);
  CHECK(m.pm_series.empty());
  CHECK(m.samples.at(0).unit == model::SampleUnit::kKernel);
  CHECK(m.samples.at(0).op == 0);
}

TEST_CASE("A sample of a graph belongs to all operations of its launch, and to no other launch") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  Launch graph;
  graph.graph = 4;
  graph.correlation = 77;
  b.Kernel(shape, "decode", 100'000, 110'000, graph);
  graph.no_api = true;
  b.Kernel(shape, "", 110'000, 120'000, graph);
  b.Memset(8, "", 120'000, 121'000, graph);
  Launch other = graph;
  other.correlation = 78;
  b.Kernel(shape, "", 130'000, 140'000, other);
  b.Sample(77, {{"dram", 1}});
  b.Sample(77, {{"l2", 1}});
  b.edit = [](wire::Block& block) {
    for (wire::CounterSample& sample : *block.mutable_samples()) {
      sample.set_unit(wire::SAMPLE_GRAPH);
    }
  };
  const model::Model m = Read(b);
  REQUIRE(m.samples.size() == 2);
  for (const model::CounterSample& sample : m.samples) {
    CHECK(sample.unit == model::SampleUnit::kGraph);
    CHECK(sample.op == model::kNoIndex);
    REQUIRE(sample.graph_ops == 3);
    for (size_t i = 0; i < 3; ++i) CHECK(m.graph_ops.at(sample.first_graph_op + i) == int(i));
  }
  CHECK(m.graph_ops.size() == 3);
  CHECK(m.ops[1].sampled);
  CHECK_FALSE(m.ops[3].sampled);
}

TEST_CASE("A sample of a range belongs to no kernel, whatever its ids are") {
  SnapshotBuilder b;
  const uint32_t launch = b.Kernel(b.Shape("k", {1}, {32}), "step", 100'000, 110'000);
  b.Sample(launch, {{"dram", 1}});
  b.edit = [](wire::Block& block) {
    block.mutable_samples(0)->set_unit(wire::SAMPLE_RANGE);
    block.mutable_samples(0)->set_range_path(1);
  };
  const model::Model m = Read(b);
  CHECK(m.samples.at(0).op == model::kNoIndex);
  CHECK(m.samples[0].graph_ops == 0);
  CHECK(m.paths.at(m.samples[0].path).full == "step");
  CHECK_FALSE(m.ops[0].sampled);
}

}  // namespace
}  // namespace prof::pm_test
