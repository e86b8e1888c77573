// SPDX-License-Identifier: Apache-2.0
//
// Numbered sibling ranges as one row.
#include "lib/analyzer/base/families.h"

#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::analyzer::families_test {
namespace {

// A model with one operation in each of these paths (ids from 1).
model::Model InPaths(const std::vector<std::string>& paths) {
  model::Model model;
  for (const std::string& path : paths) {
    model.paths.push_back({0, path, "", path});
    model::Op op;
    op.path = static_cast<uint32_t>(model.paths.size() - 1);
    model.ops.push_back(op);
  }
  return model;
}

}  // namespace

TEST_CASE("Three ranges that differ in a number are a family with a star for it") {
  const RangeFamilies families =
      FindRangeFamilies(InPaths({"layer 0/mlp", "layer 1/mlp", "layer 12/mlp"}));
  CHECK(families.of_path == std::vector<uint32_t>{0, 1, 1, 1});
  CHECK(families.label[1] == "layer */mlp (3 ranges)");
}

TEST_CASE("Two such ranges stay apart") {
  const RangeFamilies families = FindRangeFamilies(InPaths({"norm_1", "norm_2"}));
  CHECK(families.of_path == std::vector<uint32_t>{0, 1, 2});
  CHECK(families.label[1] == "norm_1");
  CHECK(families.label[2] == "norm_2");
}

TEST_CASE("A number that is the same in all of them stays in the label") {
  const RangeFamilies families =
      FindRangeFamilies(InPaths({"h100/layer 0", "h100/layer 1", "h100/layer 2"}));
  CHECK(families.label[1] == "h100/layer * (3 ranges)");
}

TEST_CASE("Ranges of other names do not join a family, and work outside of ranges does not") {
  model::Model model = InPaths({"layer 0/mlp", "layer 1/mlp", "layer 2/mlp", "layer 0/attn"});
  model.ops.push_back({});  // path 0
  const RangeFamilies families = FindRangeFamilies(model);
  CHECK(families.of_path == std::vector<uint32_t>{0, 1, 1, 1, 4});
  CHECK(families.label[4] == "layer 0/attn");
}

TEST_CASE("The ranges of emit_nvtx are a family for each op, whatever stands behind its name") {
  const RangeFamilies families = FindRangeFamilies(
      InPaths({"aten::mul, seq = 1, op_id = 20", "aten::mul, op_id = 21, sizes = [[2, 3], []]",
               "aten::mul, sizes = [[64]], input_op_ids = [(3,0)]", "aten::add, seq = 2",
               "load, seq 3", "load, seq 4", "load, seq 5"}));
  CHECK(families.of_path == std::vector<uint32_t>{0, 1, 1, 1, 4, 5, 5, 5});
  CHECK(families.label[1] == "aten::mul (3 ranges)");
  CHECK(families.label[4] == "aten::add, seq = 2");
  CHECK(families.label[5] == "load, seq * (3 ranges)");
}

TEST_CASE("A range in which nothing ran is no member") {
  model::Model model = InPaths({"layer 0", "layer 1"});
  model.paths.push_back({0, "layer 2", "", "layer 2"});
  CHECK(FindRangeFamilies(model).of_path == std::vector<uint32_t>{0, 1, 2, 3});
}

TEST_CASE(
    "A path that stands for a family is one, with the siblings that have a path of their own") {
  model::Model model = InPaths({"step 0", "step 1", "step *", "step *"});
  model.paths[3].stars = {5};
  for (const uint32_t path : {1U, 2U, 3U, 3U, 3U}) {
    model.instances.push_back({path, 1, 10, 20, true});
  }
  const RangeFamilies families = FindRangeFamilies(model);
  CHECK(families.of_path == std::vector<uint32_t>{0, 1, 1, 1, 4});
  CHECK(families.label[1] == "step * (5 instances)");
  // A star that the program wrote is a star.
  CHECK(families.label[4] == "step *");
}

TEST_CASE("Paths below one that stands for a family are in its family's families") {
  model::Model model = InPaths({"step 7", "step *"});
  model.paths[2].stars = {5};
  for (const uint32_t parent : {1U, 2U}) {
    const std::string full = model.paths[parent].full + "/layer 3";
    model.paths.push_back({parent, "layer 3", "", full});
    model::Op op;
    op.path = static_cast<uint32_t>(model.paths.size() - 1);
    model.ops.push_back(op);
    model.instances.push_back({op.path, 1, 10, 20, true});
  }
  const RangeFamilies families = FindRangeFamilies(model);
  CHECK(families.of_path[4] == 3);
  CHECK(families.label[3] == "step */layer 3 (2 instances)");
}

TEST_CASE("Hexadecimal ids are numbers") {
  const RangeFamilies families =
      FindRangeFamilies(InPaths({"req-7f3a9c01", "req-00ff11aa", "req-12345678", "req-abc"}));
  CHECK(families.of_path == std::vector<uint32_t>{0, 1, 1, 1, 4});
  CHECK(families.label[1] == "req-* (3 ranges)");
}

}  // namespace prof::analyzer::families_test
