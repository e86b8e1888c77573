// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::snapshot::torch_test {
namespace {

using model::TorchScope;
using test::SnapshotBuilder;

constexpr uint32_t kEngineTid = 2000;  // a thread of autograd

model::Model Read(SnapshotBuilder* b) {
  auto model = ReadSnapshot(b->Snapshot());
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  return *std::move(model);
}

std::string OpOf(const model::Model& model, size_t op) {
  return model.paths[model.torch.PlaceOf(op).op].full;
}
std::string ForwardOf(const model::Model& model, size_t op) {
  return model.paths[model.torch.PlaceOf(op).forward_op].full;
}

// The calls of kernels: 10 us before they begin.
uint32_t Launch(SnapshotBuilder* b, int64_t call_ns, uint32_t tid = test::kMainTid) {
  test::Launch how;
  how.tid = tid;
  return b->Kernel(b->Shape("kernel", {1}, {32}), "", call_ns + 10'000, call_ns + 11'000, how);
}

TEST_CASE("A marked scope that begins behind an op has not made the op's node") {
  SnapshotBuilder b;
  const uint32_t add = b.TorchOp(0, "aten::add"), scope = b.TorchOp(0, "layer", TorchScope::kUser);
  const uint32_t norm = b.TorchOp(scope, "aten::layer_norm");
  const uint32_t node = b.TorchOp(0, "AddBackward0", TorchScope::kBackward);
  b.TorchStep(1'000, add);
  b.TorchSequence(1'000, add, 7);
  b.TorchStep(2'000, 0);
  b.TorchStep(3'000, scope);
  b.TorchStep(4'000, norm);
  b.TorchSequence(4'000, norm, 8);
  b.TorchStep(5'000, 0);
  b.TorchStep(50'000, node, kEngineTid);
  b.TorchSequence(50'000, node, 7, kEngineTid);
  Launch(&b, 51'000, kEngineTid);
  b.TorchStep(60'000, 0, kEngineTid);
  CHECK(ForwardOf(Read(&b), 0) == "aten::add");
}

TEST_CASE("A kernel has the innermost op of its launch, and the NVTX range as without ops") {
  SnapshotBuilder b;
  const uint32_t linear = b.TorchOp(0, "aten::linear");
  const uint32_t addmm = b.TorchOp(linear, "aten::addmm");
  b.Range("step", 0, 100'000);
  b.TorchStep(1'000, linear);
  b.TorchStep(2'000, addmm);
  Launch(&b, 3'000);
  b.TorchStep(8'000, linear);
  b.TorchStep(9'000, 0);
  Launch(&b, 20'000);
  const model::Model model = Read(&b);
  REQUIRE(model.ops.size() == 2);
  CHECK(OpOf(model, 0) == "aten::linear/aten::addmm");
  CHECK(OpOf(model, 1).empty());
  CHECK(model.paths[model.ops[0].path].full == "step");
  CHECK(model.paths[model.ops[1].path].full == "step");
  CHECK(model.instances.size() == 1);
  REQUIRE(model.torch.instances.size() == 2);
  CHECK(model.paths[model.torch.instances[0].path].full == "aten::linear");
  CHECK(model.torch.instances[0].end_ns - model.torch.instances[0].start_ns == 8'000);
}

TEST_CASE("A range of the program with the domain of ops stays a range") {
  SnapshotBuilder b;
  b.Range("torch:step", 0, 100'000);
  Launch(&b, 3'000);
  const model::Model model = Read(&b);
  CHECK_FALSE(model.torch.recorded());
  CHECK(model.paths[model.ops[0].path].full == "torch:step");
}

// A forward op that makes node 7, and its backward pass on another thread.
struct Passes {
  SnapshotBuilder b;
  uint32_t mul = b.TorchOp(0, "aten::mul");
  uint32_t inner = b.TorchOp(mul, "aten::empty");
  uint32_t node = b.TorchOp(0, "MulBackward0", TorchScope::kBackward);
  uint32_t forward = 0;  // its launch

  Passes() {
    b.Range("layer", 0, 30'000);
    b.TorchStep(1'000, mul);
    b.TorchSequence(1'000, mul, 7);
    forward = Launch(&b, 2'000);
    b.TorchStep(4'000, inner);  // the node is there before it begins
    b.TorchSequence(4'000, inner, 8);
    b.TorchStep(5'000, mul);
    b.TorchStep(7'000, 0);
    b.TorchStep(40'000, node, kEngineTid);
    b.TorchSequence(40'000, node, 7, kEngineTid);
    Launch(&b, 41'000, kEngineTid);
    b.TorchStep(49'000, 0, kEngineTid);
  }
};

TEST_CASE("Work of the backward pass has the op that made its node, and the range around that") {
  Passes passes;
  const model::Model model = Read(&passes.b);
  REQUIRE(model.ops.size() == 2);
  CHECK(OpOf(model, 0) == "aten::mul");
  CHECK(ForwardOf(model, 0).empty());
  CHECK(OpOf(model, 1) == "MulBackward0");
  CHECK(ForwardOf(model, 1) == "aten::mul");
  CHECK(model.paths[model.torch.PlaceOf(1).forward_range].full == "layer");
  CHECK(model.ops[1].path == model::kNone);
  CHECK(model.payloads.empty());
}

TEST_CASE("Work of the backward pass has the Python stack of the forward op's first call") {
  Passes passes;
  test::PythonStacks python;
  const uint32_t line = python.Stack(0, "forward", "/app/model.py", 7);
  SECTION("the call is in the op") {
    python.of_call[passes.forward] = line;
    passes.b.edit = [&](wire::Block& block) { python.AddTo(&block); };
    const model::Model model = Read(&passes.b);
    CHECK(model.torch.PlaceOf(1).forward_stack == line);
    CHECK(model.torch.PlaceOf(0).forward_stack == model::kNone);
  }
  SECTION("a call behind the op is of another line") {
    python.of_call[Launch(&passes.b, 10'000)] = line;
    passes.b.edit = [&](wire::Block& block) { python.AddTo(&block); };
    const model::Model model = Read(&passes.b);
    REQUIRE(model.ops.size() == 3);
    CHECK(ForwardOf(model, 2) == "aten::mul");
    CHECK(model.torch.PlaceOf(2).forward_stack == model::kNone);
  }
}

TEST_CASE("A node that two threads have made has no forward op") {
  Passes passes;
  SnapshotBuilder& b = passes.b;
  b.TorchStep(1'000, passes.mul, 3000);
  b.TorchStep(3'000, passes.inner, 3000);
  b.TorchSequence(3'000, passes.inner, 8, 3000);
  b.TorchStep(6'000, 0, 3000);
  const model::Model model = Read(&b);
  CHECK(OpOf(model, 1) == "MulBackward0");
  CHECK(ForwardOf(model, 1).empty());
}

TEST_CASE("A node without a number does not take that of an earlier one of its name") {
  Passes passes;
  SnapshotBuilder& b = passes.b;
  b.TorchStep(60'000, passes.node, kEngineTid);
  Launch(&b, 61'000, kEngineTid);
  b.TorchStep(69'000, 0, kEngineTid);
  const model::Model model = Read(&b);
  REQUIRE(model.ops.size() == 3);
  CHECK(ForwardOf(model, 1) == "aten::mul");
  CHECK(OpOf(model, 2) == "MulBackward0");
  CHECK(ForwardOf(model, 2).empty());
}

TEST_CASE("A node that was made before the recording, or in a pause, has no forward op") {
  SnapshotBuilder b;
  const uint32_t mul = b.TorchOp(0, "aten::mul"), relu = b.TorchOp(0, "aten::relu");
  const uint32_t node = b.TorchOp(0, "MulBackward0", TorchScope::kBackward);
  b.TorchStep(1'000, mul);
  b.TorchSequence(1'000, mul, 100);  // nodes up to 99 are older
  b.TorchStep(2'000, 0);
  b.Profiler(model::ProfilerWork::kPause, 3'000, 9'000);
  b.TorchStep(10'000, relu);
  b.TorchSequence(10'000, relu, 150);
  b.TorchStep(11'000, 0);
  int64_t at_ns = 20'000;
  for (const uint64_t number : {50, 120}) {
    b.TorchStep(at_ns, node, kEngineTid);
    b.TorchSequence(at_ns, node, number, kEngineTid);
    Launch(&b, at_ns + 1'000, kEngineTid);
    b.TorchStep(at_ns + 9'000, 0, kEngineTid);
    at_ns += 20'000;
  }
  const model::Model model = Read(&b);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(OpOf(model, i) == "MulBackward0");
    CHECK(ForwardOf(model, i).empty());
  }
}

TEST_CASE("A node of a CUDA graph has the op of its capture") {
  SnapshotBuilder b;
  const uint32_t relu = b.TorchOp(0, "aten::relu"), replay = b.TorchOp(0, "replay");
  b.GraphNode(5, "", relu);
  b.TorchStep(1'000, replay);
  test::Launch how;
  how.api = "cudaGraphLaunch";
  how.graph = 3;
  how.graph_node = 5;
  b.Kernel(b.Shape("kernel", {1}, {32}), "", 12'000, 13'000, how);
  how.graph_node = 6;  // captured in no op
  how.no_api = true;
  how.correlation = 1;
  b.Kernel(b.Shape("kernel", {1}, {32}), "", 14'000, 15'000, how);
  b.TorchStep(9'000, 0);
  const model::Model model = Read(&b);
  REQUIRE(model.ops.size() == 2);
  CHECK(OpOf(model, 0) == "aten::relu");
  CHECK(OpOf(model, 1) == "replay");
}

std::string ModuleOf(const model::Model& model, size_t op) {
  return model.paths[model.torch.PlaceOf(op).module].full;
}

TEST_CASE("A kernel has the innermost module around its op, and modules are no ops") {
  SnapshotBuilder b;
  const uint32_t net = b.TorchOp(0, "Net", TorchScope::kModule);
  const uint32_t user = b.TorchOp(net, "part", TorchScope::kUser);
  const uint32_t layer = b.TorchOp(user, "Net.fc", TorchScope::kModule);
  const uint32_t relu = b.TorchOp(layer, "aten::relu");
  b.TorchStep(1'000, net);
  Launch(&b, 2'000);
  b.TorchStep(3'000, user);
  b.TorchStep(4'000, layer);
  Launch(&b, 5'000);
  b.TorchStep(6'000, relu);
  Launch(&b, 7'000);
  b.TorchStep(8'000, 0);
  Launch(&b, 9'000);
  const model::Model model = Read(&b);
  REQUIRE(model.ops.size() == 4);
  CHECK(ModuleOf(model, 0) == "Net");
  CHECK(OpOf(model, 0).empty());
  CHECK(ModuleOf(model, 1) == "Net.fc");
  CHECK(OpOf(model, 1) == "part");
  CHECK(ModuleOf(model, 2) == "Net.fc");
  CHECK(OpOf(model, 2) == "part/aten::relu");
  CHECK(ModuleOf(model, 3).empty());
}

TEST_CASE("A module that begins between an op and the next one has not made the op's node") {
  SnapshotBuilder b;
  const uint32_t first = b.TorchOp(0, "Net.a", TorchScope::kModule);
  const uint32_t second = b.TorchOp(0, "Net.b", TorchScope::kModule);
  const uint32_t mul = b.TorchOp(first, "aten::mul"), add = b.TorchOp(second, "aten::add");
  const uint32_t node = b.TorchOp(0, "MulBackward0", TorchScope::kBackward);
  b.TorchStep(1'000, first);
  b.TorchStep(2'000, mul);
  b.TorchSequence(2'000, mul, 7);
  b.TorchStep(3'000, first);
  b.TorchStep(4'000, 0);
  b.TorchStep(5'000, second);
  b.TorchStep(6'000, add);
  b.TorchSequence(6'000, add, 8);
  b.TorchStep(7'000, 0);
  b.TorchStep(40'000, node, kEngineTid);
  b.TorchSequence(40'000, node, 7, kEngineTid);
  Launch(&b, 41'000, kEngineTid);
  b.TorchStep(49'000, 0, kEngineTid);
  const model::Model model = Read(&b);
  REQUIRE(model.ops.size() == 1);
  CHECK(ForwardOf(model, 0) == "aten::mul");
  CHECK(ModuleOf(model, 0) == "Net.a");
}

TEST_CASE(
    "A module that a checkpoint calls in a node has its work, not the node's forward module") {
  Passes passes;
  SnapshotBuilder& b = passes.b;
  const uint32_t again = b.TorchOp(passes.node, "Net.again", TorchScope::kModule);
  const uint32_t mul = b.TorchOp(again, "aten::mul");
  b.TorchStep(60'000, passes.node, kEngineTid);
  b.TorchSequence(60'000, passes.node, 7, kEngineTid);
  b.TorchStep(61'000, again, kEngineTid);
  b.TorchStep(62'000, mul, kEngineTid);
  Launch(&b, 63'000, kEngineTid);
  b.TorchStep(69'000, 0, kEngineTid);
  const model::Model model = Read(&b);
  REQUIRE(model.ops.size() == 3);
  CHECK(ModuleOf(model, 2) == "Net.again");
  CHECK(OpOf(model, 2) == "MulBackward0/aten::mul");
}

TEST_CASE("A backward pass within a module belongs to it where the forward op is not known") {
  SnapshotBuilder b;
  const uint32_t net = b.TorchOp(0, "Net", TorchScope::kModule);
  const uint32_t node = b.TorchOp(net, "MulBackward0", TorchScope::kBackward);
  b.TorchStep(1'000, net);
  b.TorchStep(2'000, node);
  Launch(&b, 3'000);
  b.TorchStep(9'000, 0);
  const model::Model model = Read(&b);
  CHECK(ModuleOf(model, 0) == "Net");
}

TEST_CASE("An op below a range, or a range below an op, is damage") {
  SnapshotBuilder b;
  const uint32_t op = b.TorchOp(0, "aten::relu");
  (void)b.Path(op, "range");
  b.Range("step", 0, 1'000);
  const auto model = ReadSnapshot(b.Snapshot());
  CHECK((!model.ok() || !model->truncation.empty()));
}

}  // namespace
}  // namespace prof::snapshot::torch_test
