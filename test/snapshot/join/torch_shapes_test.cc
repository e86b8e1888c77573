// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::snapshot::torch_shapes_test {
namespace {

using test::SnapshotBuilder;

constexpr uint32_t kOtherTid = 2000;

model::Model Read(SnapshotBuilder* b) {
  auto model = ReadSnapshot(b->Snapshot());
  REQUIRE(model.ok());
  return *std::move(model);
}

void Launch(SnapshotBuilder* b, int64_t call_ns, uint32_t tid = test::kMainTid) {
  test::Launch how;
  how.tid = tid;
  b->Kernel(b->Shape("kernel", {1}, {32}), "", call_ns + 10'000, call_ns + 11'000, how);
}

std::string ShapesOf(const model::Model& model, int32_t instance) {
  if (instance == model::kNoIndex) return "(no instance)";
  const auto at = static_cast<size_t>(instance);
  return model.strings[model.torch.shapes_of_instance[at]];
}

// Two calls of an op in another one, with other shapes each, and an op without shapes.
struct TwoCalls {
  SnapshotBuilder b;
  uint32_t linear = b.TorchOp(0, "aten::linear");
  uint32_t mm = b.TorchOp(linear, "aten::mm");

  TwoCalls() {
    for (const auto& [begin_ns, shapes] : {std::pair(0, "[[8]]"), std::pair(100'000, "[[9]]")}) {
      b.TorchStep(begin_ns + 1'000, linear, test::kMainTid, shapes);
      Launch(&b, begin_ns + 1'500);
      b.TorchStep(begin_ns + 2'000, mm, test::kMainTid, std::string(shapes) + "!");
      Launch(&b, begin_ns + 3'000);
      b.TorchStep(begin_ns + 8'000, linear);
      Launch(&b, begin_ns + 8'500);
      b.TorchStep(begin_ns + 9'000, 0);
    }
    b.TorchStep(200'000, linear);
    Launch(&b, 201'000);
    b.TorchStep(202'000, 0);
    Launch(&b, 203'000);
    // At the same time on another thread.
    b.TorchStep(1'000, linear, kOtherTid, "[[7]]");
    Launch(&b, 2'500, kOtherTid);
    b.TorchStep(5'000, 0, kOtherTid);
  }
};

TEST_CASE("Each call of an op has its shapes, and each launch the call that it was made in") {
  TwoCalls calls;
  const model::Model model = Read(&calls.b);
  CHECK(model.truncation.empty());
  REQUIRE(model.torch.calls.size() == 9);
  std::vector<std::string> shapes;
  for (const model::TorchCall& call : model.torch.calls) {
    shapes.push_back(ShapesOf(model, call.launched_in));
  }
  CHECK(shapes == std::vector<std::string>{"[[8]]", "[[7]]", "[[8]]!", "[[8]]", "[[9]]", "[[9]]!",
                                           "[[9]]", "", "(no instance)"});
}

TEST_CASE("A call of an op has the call around it on its thread") {
  TwoCalls calls;
  const model::Model model = Read(&calls.b);
  const model::TorchOps& torch = model.torch;
  REQUIRE(torch.instance_around.size() == torch.instances.size());
  int inner = 0;
  for (size_t i = 0; i < torch.instances.size(); ++i) {
    const bool is_inner = model.paths[torch.instances[i].path].name == "aten::mm";
    if (!is_inner) {
      CHECK(torch.instance_around[i] == model::kNoIndex);
      continue;
    }
    ++inner;
    CHECK(ShapesOf(model, torch.instance_around[i]) + "!" ==
          ShapesOf(model, static_cast<int32_t>(i)));
  }
  CHECK(inner == 2);
}

TEST_CASE("Calls without a length, one behind the other, are in the op around them") {
  SnapshotBuilder b;
  const uint32_t outer = b.TorchOp(0, "outer"), inner = b.TorchOp(outer, "inner");
  b.TorchStep(1'000, outer, test::kMainTid, "[]");
  for (int i = 0; i < 3; ++i) {
    b.TorchStep(1'000, inner, test::kMainTid, "[[1]]");
    b.TorchStep(1'000, outer);
  }
  b.TorchStep(2'000, 0);
  const model::Model model = Read(&b);
  REQUIRE(model.torch.instances.size() == 4);
  CHECK(ShapesOf(model, 0) == "[]");
  for (size_t i = 1; i < 4; ++i) {
    CHECK(ShapesOf(model, static_cast<int32_t>(i)) == "[[1]]");
    CHECK(model.torch.instance_around[i] == 0);
  }
}

TEST_CASE("Without shapes nothing is joined") {
  SnapshotBuilder b;
  b.TorchStep(1'000, b.TorchOp(0, "aten::mm"));
  Launch(&b, 2'000);
  const model::Model model = Read(&b);
  REQUIRE(model.torch.recorded());
  CHECK(model.torch.shapes.empty());
  CHECK(model.torch.calls.empty());
  CHECK(model.torch.instance_around.empty());
}

TEST_CASE("Shapes of no row, and of no string, end the reading of a file") {
  TwoCalls calls;
  SECTION("of no row") {
    calls.b.edit = [](wire::Block& block) {
      if (block.has_ranges()) block.mutable_ranges()->set_shapes_row_delta(0, 1'000'000);
    };
  }
  SECTION("of no string") {
    calls.b.edit = [](wire::Block& block) {
      if (block.has_ranges()) block.mutable_ranges()->set_shapes(0, 1'000'000);
    };
  }
  SECTION("columns of different lengths") {
    calls.b.edit = [](wire::Block& block) {
      if (block.has_ranges()) block.mutable_ranges()->add_shapes(1);
    };
  }
  const auto model = ReadSnapshot(calls.b.Snapshot());
  REQUIRE_FALSE(model.ok());
  CHECK_THAT(std::string(model.status().message()), Catch::Contains("shapes"));
}

}  // namespace
}  // namespace prof::snapshot::torch_shapes_test
