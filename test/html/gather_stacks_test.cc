// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_stacks.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "lib/html/gather.h"
#include "lib/html/page_json.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::html::gather_stacks_test {
namespace {

constexpr char kLibrary[] = "/venv/lib/python3.12/site-packages/torch/functional.py";

// Two lines of a program, of which one launches in a library; a stack that calls nothing; a kernel
// without a stack.
struct Program {
  Program() {
    const uint32_t module = python.Stack(0, "<module>", "/app/train.py", 3);
    const uint32_t step = python.Stack(module, "step", "/app/train.py", 20);
    const uint32_t linear = python.Stack(step, "linear", kLibrary, 77);
    python.Stack(module, "unused", "/app/train.py", 50);
    python.of_call[b.Kernel(gemm, "", 10'000, 20'000)] = linear;
    python.of_call[b.Kernel(gemm, "", 30'000, 40'000)] = linear;
    python.of_call[b.Kernel(add, "", 40'000, 43'000)] = module;
    b.Kernel(add, "", 60'000, 61'000);
    python.of_call[b.Api("cudaMalloc", 70'000, 78'000)] = step;
    b.edit = [this](wire::Block& block) { python.AddTo(&block); };
  }

  test::SnapshotBuilder b;
  test::PythonStacks python;
  uint32_t gemm = b.Shape("gemm", {132}, {256}), add = b.Shape("add", {132}, {256});
};

Stacks StacksOf(test::SnapshotBuilder* builder) {
  const Snapshot snapshot = builder->Snapshot();
  const auto model = ReadSnapshot(snapshot);
  REQUIRE(model.ok());
  return Gather(*model, Analyze(snapshot)).stacks;
}

TEST_CASE("a stack has what was called from it, and a caller comes before what it called") {
  Program program;
  const Stacks stacks = StacksOf(&program.b);
  REQUIRE(stacks.nodes.size() == 3);  // nothing was called from the fourth
  const StackNode &module = stacks.nodes[0], &step = stacks.nodes[1], &linear = stacks.nodes[2];
  CHECK(module.parent == kNoRow);
  CHECK(step.parent == 0);
  CHECK(linear.parent == 1);
  CHECK(module.gpu_ns == 3'000);
  CHECK(step.gpu_ns == 0);
  CHECK(step.operations == 0);
  CHECK(step.host_ns == 8'000);
  CHECK(linear.gpu_ns == 20'000);
  CHECK(linear.operations == 2);
  CHECK(linear.host_ns == 8'000);  // two launches of 4 us
  CHECK(linear.idle_ns == 10'000);
  CHECK(linear.kernels.size() == 1);
  CHECK(linear.kernels != module.kernels);
}

TEST_CASE("a frame is the program's own where its file is no installed package") {
  Program program;
  const Stacks stacks = StacksOf(&program.b);
  REQUIRE(stacks.frames.size() == 3);
  CHECK(stacks.frames[1].function == "step");
  CHECK(stacks.frames[1].line == 20);
  CHECK(stacks.frames[1].own);
  CHECK(stacks.frames[2].file == kLibrary);
  CHECK_FALSE(stacks.frames[2].own);
}

TEST_CASE("the JSON of the stacks has each text once") {
  Program program;
  const auto json = nlohmann::json::parse(StacksJson(StacksOf(&program.b)));
  CHECK(json["strings"].size() == 5);  // three functions and two files
  CHECK(json["frames"].size() == 3 * 4);
  CHECK(json["nodes"].size() == 3 * 6);
  CHECK(json["kernels"].size() == 3);
  CHECK(json["strings"][json["frames"][8].get<size_t>()] == "linear");
  CHECK(json["nodes"][12] == 1);       // the parent of the third
  CHECK(json["nodes"][14] == 20'000);  // and its time
}

TEST_CASE("without Python stacks the page has none") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("add", {1}, {32}), "", 10'000, 11'000);
  CHECK(StacksOf(&b).nodes.empty());
}

}  // namespace
}  // namespace prof::html::gather_stacks_test
