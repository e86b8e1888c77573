// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::torch_shapes_test {
namespace {

using model::TorchScope;
using test::SnapshotBuilder;

constexpr uint32_t kEngineTid = 2000;  // a thread of autograd

// A linear layer that is called with two shapes, its backward pass, and a launch of a CUDA graph
// that was captured in it.
struct Layers {
  SnapshotBuilder b;
  uint32_t linear = b.TorchOp(0, "aten::linear");
  uint32_t addmm = b.TorchOp(linear, "aten::addmm");
  uint32_t after = b.TorchOp(0, "aten::sum");
  uint32_t node = b.TorchOp(0, "AddmmBackward0", TorchScope::kBackward);
  uint32_t mm = b.TorchOp(node, "aten::mm");

  Layers() {
    Forward(0, 5, "[[8, 16]]", 3'000);
    Forward(100'000, 6, "[[8, 15]]", 7'000);
    Forward(200'000, 7, "[[8, 16]]", 3'000);
    b.TorchStep(300'000, after, test::kMainTid, "[[8]]");
    b.TorchSequence(300'000, after, 8);
    b.TorchStep(301'000, 0);
    Backward(400'000, 7, 5'000);
    Backward(500'000, 6, 11'000);
    Backward(600'000, 5, 5'000);
  }

  void Launch(int64_t call_ns, int64_t length_ns, uint32_t tid = test::kMainTid) {
    test::Launch how;
    how.tid = tid;
    b.Kernel(b.Shape("gemm", {1}, {32}), "", call_ns + 10'000, call_ns + 10'000 + length_ns, how);
  }

  void Forward(int64_t begin_ns, uint64_t number, const std::string& shapes, int64_t length_ns) {
    b.TorchStep(begin_ns + 1'000, linear, test::kMainTid, shapes);
    b.TorchSequence(begin_ns + 1'000, linear, number);
    b.TorchStep(begin_ns + 2'000, addmm, test::kMainTid, "[[4], " + shapes.substr(1));
    Launch(begin_ns + 3'000, length_ns);
    b.TorchStep(begin_ns + 9'000, linear);
    b.TorchStep(begin_ns + 10'000, 0);
  }

  void Backward(int64_t begin_ns, uint64_t number, int64_t length_ns) {
    b.TorchStep(begin_ns + 1'000, node, kEngineTid, "[[8, 4]]");
    b.TorchSequence(begin_ns + 1'000, node, number, kEngineTid);
    b.TorchStep(begin_ns + 2'000, mm, kEngineTid, "[[4, 8], []]");
    Launch(begin_ns + 3'000, length_ns, kEngineTid);
    b.TorchStep(begin_ns + 9'000, node, kEngineTid);
    b.TorchStep(begin_ns + 10'000, 0, kEngineTid);
  }
};

const TorchOp& OpWith(const Report& report, const std::string& name, const std::string& shapes) {
  const TorchOp* found = nullptr;
  for (const TorchOp& op : report.torch.ops_by_shapes) {
    if (op.name == name && op.shapes == shapes) found = &op;
  }
  INFO(name << " " << shapes);
  REQUIRE(found != nullptr);
  return *found;
}

TEST_CASE("The table by shapes has what an op cost with each list of shapes") {
  Layers layers;
  const Report report = Analyze(layers.b.Snapshot());
  REQUIRE(report.error.empty());
  const TorchOp& even = OpWith(report, "aten::addmm", "[[4], [8, 16]]");
  const TorchOp& odd = OpWith(report, "aten::addmm", "[[4], [8, 15]]");
  CHECK(even.calls == 2);
  CHECK(even.gpu_self_ns == 6'000);
  CHECK(even.launches == 2);
  CHECK(even.cpu_ns == 14'000);
  CHECK(even.backward_gpu_ns == 10'000);
  CHECK(odd.calls == 1);
  CHECK(odd.gpu_self_ns == 7'000);
  CHECK(odd.backward_gpu_ns == 11'000);
  REQUIRE(odd.limiters.size() == 1);
  CHECK(odd.limiters[0].time_ns == 7'000);

  const TorchOp& outer = OpWith(report, "aten::linear", "[[8, 16]]");
  CHECK(outer.gpu_self_ns == 0);
  CHECK(outer.gpu_ns == 6'000);
  CHECK(outer.cpu_ns == 18'000);
  CHECK(outer.cpu_self_ns == 4'000);
  CHECK(outer.backward_gpu_ns == 10'000);

  const TorchOp& node = OpWith(report, "AddmmBackward0", "[[8, 4]]");
  CHECK(node.kind == TorchOp::Kind::kNode);
  CHECK(node.backward);
  CHECK(node.forward == "aten::addmm");
  CHECK(node.gpu_ns == 21'000);
  CHECK(OpWith(report, "aten::mm", "[[4, 8], []]").backward);
  CHECK(report.torch.ops_by_shapes.front().name == "aten::mm");  // most GPU time
}

TEST_CASE("Over its shapes an op has the sums of the table of ops") {
  Layers layers;
  // An op in itself, one without shapes, and a module around an op.
  const uint32_t again = layers.b.TorchOp(layers.linear, "aten::linear");
  layers.b.TorchStep(700'000, layers.linear, test::kMainTid, "[[8, 16]]");
  layers.b.TorchStep(701'000, again, test::kMainTid, "[[8, 16]]");
  layers.Launch(702'000, 1'000);
  layers.b.TorchStep(703'000, layers.linear);
  layers.b.TorchStep(704'000, 0);
  layers.b.TorchStep(710'000, layers.linear);
  layers.Launch(711'000, 2'000);
  layers.b.TorchStep(712'000, 0);
  const uint32_t module = layers.b.TorchOp(0, "Net", TorchScope::kModule);
  const uint32_t inside = layers.b.TorchOp(module, "aten::linear");
  layers.b.TorchStep(720'000, module);
  layers.Launch(721'000, 1'500);
  layers.b.TorchStep(722'000, inside, test::kMainTid, "[[3, 3]]");
  layers.Launch(723'000, 2'500);
  layers.b.TorchStep(724'000, module);
  layers.b.TorchStep(725'000, 0);
  // A node of a CUDA graph, captured in an op: its shapes are not known.
  layers.b.GraphNode(17, "", layers.addmm);
  test::Launch in_graph;
  in_graph.graph = 3;
  in_graph.graph_node = 17;
  layers.b.Kernel(layers.b.Shape("gemm", {1}, {32}), "", 800'000, 804'000, in_graph);

  const Report report = Analyze(layers.b.Snapshot());
  REQUIRE(report.error.empty());
  CHECK(OpWith(report, "aten::linear", "[[3, 3]]").gpu_self_ns == 2'500);
  CHECK(OpWith(report, "aten::addmm", "").gpu_self_ns == 4'000);
  CHECK(OpWith(report, "aten::linear", "").gpu_ns == 6'000);
  REQUIRE_FALSE(report.torch.ops.empty());
  for (const TorchOp& op : report.torch.ops) {
    TorchOp sum;
    for (const TorchOp& part : report.torch.ops_by_shapes) {
      if (part.name != op.name || part.backward != op.backward) continue;
      sum.calls += part.calls;
      sum.launches += part.launches;
      sum.gpu_ns += part.gpu_ns;
      sum.gpu_self_ns += part.gpu_self_ns;
      sum.cpu_ns += part.cpu_ns;
      sum.cpu_self_ns += part.cpu_self_ns;
      sum.backward_gpu_ns += part.backward_gpu_ns;
    }
    INFO(op.name);
    CHECK(sum.calls == op.calls);
    CHECK(sum.launches == op.launches);
    CHECK(sum.gpu_ns == op.gpu_ns);
    CHECK(sum.gpu_self_ns == op.gpu_self_ns);
    CHECK(sum.cpu_ns == op.cpu_ns);
    CHECK(sum.cpu_self_ns == op.cpu_self_ns);
    CHECK(sum.backward_gpu_ns == op.backward_gpu_ns);
  }
}

TEST_CASE("Without shapes there is no table by shapes") {
  SnapshotBuilder b;
  b.TorchStep(1'000, b.TorchOp(0, "aten::mm"));
  b.TorchStep(2'000, 0);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.torch.recorded);
  CHECK(report.torch.ops_by_shapes.empty());
}

}  // namespace
}  // namespace prof::torch_shapes_test
