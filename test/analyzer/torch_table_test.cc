// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::torch_table_test {
namespace {

using model::TorchScope;
using test::SnapshotBuilder;

constexpr uint32_t kEngineTid = 2000;  // a thread of autograd

void Launch(SnapshotBuilder* b, const char* kernel, int64_t call_ns, int64_t length_ns,
            uint32_t tid = test::kMainTid) {
  test::Launch how;
  how.tid = tid;
  b->Kernel(b->Shape(kernel, {1}, {32}), "", call_ns + 10'000, call_ns + 10'000 + length_ns, how);
}

// Two layers in one range each: a linear op that calls addmm, and its backward pass on another
// thread. Kernels of the forward pass take 3 us, those of the backward pass 5 us.
struct TwoLayers {
  SnapshotBuilder b;
  uint32_t linear = b.TorchOp(0, "aten::linear");
  uint32_t addmm = b.TorchOp(linear, "aten::addmm");
  uint32_t after = b.TorchOp(0, "aten::sum");
  uint32_t engine = b.TorchOp(0, "autograd::engine::evaluate_function: AddmmBackward0");
  uint32_t node = b.TorchOp(engine, "AddmmBackward0", TorchScope::kBackward);
  uint32_t mm = b.TorchOp(node, "aten::mm");

  TwoLayers() {
    Forward("layer 1", 0, 5);
    Forward("layer 2", 100'000, 6);
    b.TorchStep(200'000, after);
    b.TorchSequence(200'000, after, 7);
    b.TorchStep(201'000, 0);
    Backward(300'000, 6);
    Backward(400'000, 5);
    Launch(&b, "alone", 500'000, 2'000);  // in no op
  }

  void Forward(const char* range, int64_t begin_ns, uint64_t number) {
    b.Range(range, begin_ns, begin_ns + 50'000);
    b.TorchStep(begin_ns + 1'000, linear);
    b.TorchSequence(begin_ns + 1'000, linear, number);
    b.TorchStep(begin_ns + 2'000, addmm);
    Launch(&b, "gemm", begin_ns + 3'000, 3'000);
    b.TorchStep(begin_ns + 9'000, linear);
    b.TorchStep(begin_ns + 10'000, 0);
  }

  void Backward(int64_t begin_ns, uint64_t number) {
    b.TorchStep(begin_ns, engine, kEngineTid);
    b.TorchStep(begin_ns + 1'000, node, kEngineTid);
    b.TorchSequence(begin_ns + 1'000, node, number, kEngineTid);
    b.TorchStep(begin_ns + 2'000, mm, kEngineTid);
    Launch(&b, "gemm", begin_ns + 3'000, 5'000, kEngineTid);
    b.TorchStep(begin_ns + 9'000, node, kEngineTid);
    b.TorchStep(begin_ns + 10'000, engine, kEngineTid);
    b.TorchStep(begin_ns + 11'000, 0, kEngineTid);
  }
};

const TorchOp& OpNamed(const Report& report, const std::string& name) {
  const auto found = std::find_if(report.torch.ops.begin(), report.torch.ops.end(),
                                  [&](const TorchOp& op) { return op.name == name; });
  INFO(name);
  REQUIRE(found != report.torch.ops.end());
  return *found;
}

TEST_CASE("The table of ops has each op's time on the host and on the GPU") {
  TwoLayers layers;
  const Report report = Analyze(layers.b.Snapshot());
  REQUIRE(report.error.empty());
  const TorchReport& torch = report.torch;
  REQUIRE(torch.recorded);
  CHECK(torch.gpu_ns == 18'000);
  CHECK(torch.gpu_in_ops_ns == 16'000);
  CHECK(torch.backward_ns == 10'000);
  CHECK(torch.forward_known_ns == 10'000);

  const TorchOp& addmm = OpNamed(report, "aten::addmm");
  CHECK(addmm.kind == TorchOp::Kind::kFunction);
  CHECK_FALSE(addmm.backward);
  CHECK(addmm.calls == 2);
  CHECK(addmm.cpu_ns == 14'000);
  CHECK(addmm.cpu_self_ns == 14'000);
  CHECK(addmm.gpu_ns == 6'000);
  CHECK(addmm.gpu_self_ns == 6'000);
  CHECK(addmm.launches == 2);
  CHECK(addmm.backward_gpu_ns == 10'000);
  REQUIRE(addmm.limiters.size() == 1);
  CHECK(addmm.limiters[0].time_ns == 6'000);

  const TorchOp& linear = OpNamed(report, "aten::linear");
  CHECK(linear.cpu_ns == 18'000);
  CHECK(linear.cpu_self_ns == 4'000);
  CHECK(linear.gpu_ns == 6'000);
  CHECK(linear.gpu_self_ns == 0);
  CHECK(linear.backward_gpu_ns == 10'000);

  const TorchOp& node = OpNamed(report, "AddmmBackward0");
  CHECK(node.kind == TorchOp::Kind::kNode);
  CHECK(node.backward);
  CHECK(node.forward == "aten::addmm");
  CHECK(node.gpu_ns == 10'000);
  CHECK(OpNamed(report, "aten::mm").backward);
  CHECK(OpNamed(report, "autograd::engine::evaluate_function: AddmmBackward0").backward);
  double self_ns = 0;
  for (const TorchOp& op : torch.ops) self_ns += op.gpu_self_ns;
  CHECK(self_ns == torch.gpu_in_ops_ns);
}

TEST_CASE("A range has the backward pass of what ran in it") {
  TwoLayers layers;
  const Report report = Analyze(layers.b.Snapshot());
  REQUIRE(report.torch.ranges.size() == 3);
  CHECK(report.torch.ranges[0].label == "layer 1");
  CHECK(report.torch.ranges[0].forward_ns == 3'000);
  CHECK(report.torch.ranges[0].backward_ns == 5'000);
  CHECK(report.torch.ranges[1].label == "layer 2");
  CHECK(report.torch.ranges[2].label == "(no range)");
  CHECK(report.torch.ranges[2].forward_ns == 2'000);
}

TEST_CASE("Ranges that have a backward pass alone are one row where they differ in numbers only") {
  TwoLayers layers;
  for (int i = 0; i < 3; ++i) {  // an op that launches nothing, in a range of its own
    const int64_t begin_ns = 600'000 + i * 10'000;
    layers.b.Range("layer " + std::to_string(i) + "/view", begin_ns, begin_ns + 5'000);
    layers.b.TorchStep(begin_ns + 1'000, layers.linear);
    layers.b.TorchSequence(begin_ns + 1'000, layers.linear, static_cast<uint64_t>(10 + i));
    layers.b.TorchStep(begin_ns + 4'000, 0);
    layers.Backward(700'000 + i * 100'000, static_cast<uint64_t>(10 + i));
  }
  layers.b.TorchStep(650'000, layers.after);
  layers.b.TorchSequence(650'000, layers.after, 13);
  layers.b.TorchStep(651'000, 0);
  const Report report = Analyze(layers.b.Snapshot());
  REQUIRE(report.torch.ranges.size() == 4);
  CHECK(report.torch.ranges[0].label == "layer */view (3 ranges)");
  CHECK(report.torch.ranges[0].forward_ns == 0);
  CHECK(report.torch.ranges[0].backward_ns == 15'000);
}

TEST_CASE("A kernel has the ops that launched it, and ops are no ranges") {
  TwoLayers layers;
  const Report report = Analyze(layers.b.Snapshot());
  int in_ops = 0;
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.name == "alone") CHECK(kernel.torch_ops.empty());
    if (kernel.torch_ops.empty()) continue;
    ++in_ops;
    REQUIRE(kernel.torch_ops.size() == 1);
    const KernelOp& op = kernel.torch_ops[0];
    CHECK(op.backward == kernel.range.empty());
    CHECK(op.name == (op.backward ? "aten::mm" : "aten::addmm"));
    CHECK(op.forward == (op.backward ? "aten::addmm" : ""));
  }
  CHECK(in_ops == 3);
  for (const RangeNode& range : report.ranges) CHECK(range.path.find("aten") == std::string::npos);
  for (const RangeRow& row : report.rows) CHECK(row.label.find("aten") == std::string::npos);
}

TEST_CASE("An op that calls itself counts once in its total") {
  SnapshotBuilder b;
  const uint32_t outer = b.TorchOp(0, "aten::to"), inner = b.TorchOp(outer, "aten::to");
  b.TorchStep(1'000, outer);
  b.TorchStep(2'000, inner);
  Launch(&b, "copy", 3'000, 4'000);
  b.TorchStep(9'000, outer);
  b.TorchStep(11'000, 0);
  const Report report = Analyze(b.Snapshot());
  const TorchOp& op = OpNamed(report, "aten::to");
  CHECK(op.calls == 2);
  CHECK(op.cpu_ns == 10'000);
  CHECK(op.cpu_self_ns == 10'000);
  CHECK(op.gpu_ns == 4'000);
  CHECK(op.launches == 1);
}

TEST_CASE("Without ops there is no table of them") {
  SnapshotBuilder b;
  Launch(&b, "kernel", 0, 1'000);
  const Report report = Analyze(b.Snapshot());
  CHECK_FALSE(report.torch.recorded);
  CHECK(report.torch.ops.empty());
  CHECK(report.kernels[0].torch_ops.empty());
}

}  // namespace
}  // namespace prof::torch_table_test
