// SPDX-License-Identifier: Apache-2.0
//
// These tests derive range instances from the steps of a thread.
#include <tuple>
#include <vector>

#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::ranges_test {
namespace {

using test::kMainTid;
using test::SnapshotBuilder;

using Instance = std::tuple<std::string, int64_t, int64_t>;

model::Model Read(SnapshotBuilder& builder, int blocks = 1) {
  absl::StatusOr<model::Model> model = ReadSnapshot(builder.Bytes(blocks));
  INFO(model.status().ToString());
  REQUIRE(model.ok());
  return *std::move(model);
}

std::vector<Instance> Instances(const model::Model& m) {
  std::vector<Instance> result;
  for (const model::RangeInstance& i : m.instances) {
    result.emplace_back(m.paths[i.path].full, i.start_ns, i.end_ns);
  }
  return result;
}

TEST_CASE("A push opens a range and a pop closes it") {
  SnapshotBuilder b;
  b.Step(kMainTid, 10, "a");
  b.Step(kMainTid, 20, "a/b");
  b.Step(kMainTid, 30, "a");
  b.Step(kMainTid, 40, "a/b");
  b.Step(kMainTid, 50, "a");
  b.Step(kMainTid, 60, "");
  const model::Model m = Read(b, 2);
  CHECK(Instances(m) == std::vector<Instance>{{"a", 10, 60}, {"a/b", 20, 30}, {"a/b", 40, 50}});
  for (const model::RangeInstance& instance : m.instances) CHECK(instance.closed);
}

TEST_CASE("A step to an ancestor closes all ranges between") {
  SnapshotBuilder b;
  b.Step(kMainTid, 10, "a/b/c");
  b.Step(kMainTid, 20, "a");
  b.Step(kMainTid, 30, "");
  CHECK(Instances(Read(b)) ==
        std::vector<Instance>{{"a", 10, 30}, {"a/b", 10, 20}, {"a/b/c", 10, 20}});
}

TEST_CASE("A step to an unrelated path goes through the common ancestor") {
  SnapshotBuilder b;
  b.Step(kMainTid, 10, "a/b/c");
  b.Step(kMainTid, 20, "a/d");
  b.Step(kMainTid, 30, "e");
  b.Step(kMainTid, 40, "");
  CHECK(Instances(Read(b)) ==
        std::vector<Instance>{
            {"a", 10, 30}, {"a/b", 10, 20}, {"a/b/c", 10, 20}, {"a/d", 20, 30}, {"e", 30, 40}});
}

TEST_CASE("A path is found even if its id is smaller than that of its parent's sibling") {
  SnapshotBuilder b;
  b.Path("x");  // ids in another order than depth
  b.Path("a");
  b.Path("x/y");
  b.Path("a/z");
  b.Step(kMainTid, 10, "x");
  b.Step(kMainTid, 20, "x/y");
  b.Step(kMainTid, 30, "a/z");
  b.Step(kMainTid, 40, "a");
  b.Step(kMainTid, 50, "x");
  CHECK(Instances(Read(b)) ==
        std::vector<Instance>{
            {"x", 10, 30}, {"x/y", 20, 30}, {"a", 30, 50}, {"a/z", 30, 40}, {"x", 50, 50}});
}

TEST_CASE("Threads have ranges of their own") {
  SnapshotBuilder b;
  b.Step(kMainTid, 10, "a");
  b.Step(2000, 15, "a");
  b.Step(kMainTid, 20, "");
  b.Step(2000, 25, "");
  const model::Model m = Read(b);
  CHECK(Instances(m) == std::vector<Instance>{{"a", 10, 20}, {"a", 15, 25}});
  CHECK(m.instances[0].thread != m.instances[1].thread);
}

TEST_CASE("A range that is open at the end is closed there and marked") {
  SnapshotBuilder b;
  b.Step(kMainTid, 10'000, "a");
  b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000);
  const model::Model m = Read(b);
  REQUIRE(m.instances.size() == 1);
  CHECK_FALSE(m.instances[0].closed);
  CHECK(m.instances[0].end_ns == 110'000);
}

TEST_CASE("Steps that jump between deep unrelated paths cannot ask for any number of ranges") {
  wire::Block block;
  block.mutable_header()->set_format_version(1);
  block.add_strings("r");
  block.add_threads()->set_tid(1);
  constexpr uint32_t kDeep = 1000;
  for (uint32_t chain = 0; chain < 2; ++chain) {
    for (uint32_t i = 0; i < kDeep; ++i) {
      wire::RangePath* path = block.add_range_paths();
      path->set_name(1);
      path->set_parent(i == 0 ? 0 : chain * kDeep + i);
    }
  }
  wire::RangeColumns* columns = block.mutable_ranges();
  for (uint32_t i = 0; i < 10'000; ++i) {
    columns->add_thread(1);
    columns->add_path((i % 2 + 1) * kDeep);
    columns->add_time_delta_ns(1);
  }
  const absl::StatusOr<model::Model> m =
      ReadSnapshot(test::FileHeader() + test::Frame(block.SerializeAsString()));
  REQUIRE(m.ok());
  CHECK(m->instances.size() < 100'000);
  CHECK_THAT(m->truncation, Catch::Contains("jump between unrelated ranges"));
}

}  // namespace
}  // namespace prof::ranges_test
