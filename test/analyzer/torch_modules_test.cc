// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::torch_modules_test {
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

// A model with a layer that calls an op; its backward pass, in which a checkpoint calls the layer
// alone; and work in no module.
struct OneLayer {
  SnapshotBuilder b;
  uint32_t net = b.TorchOp(0, "Net", TorchScope::kModule);
  uint32_t layer = b.TorchOp(net, "Net.layers.0", TorchScope::kModule);
  uint32_t mul = b.TorchOp(layer, "aten::mul");
  uint32_t sum = b.TorchOp(0, "aten::sum");
  uint32_t node = b.TorchOp(0, "MulBackward0", TorchScope::kBackward);
  uint32_t again = b.TorchOp(node, "Net.layers.0", TorchScope::kModule);

  OneLayer() {
    b.TorchStep(1'000, net);
    Launch(&b, "embed", 2'000, 1'000);
    b.TorchStep(3'000, layer);
    b.TorchStep(4'000, mul);
    b.TorchSequence(4'000, mul, 7);
    Launch(&b, "mul", 5'000, 3'000);
    b.TorchStep(8'000, layer);
    b.TorchStep(9'000, net);
    b.TorchStep(11'000, 0);
    b.TorchStep(12'000, sum);
    b.TorchSequence(12'000, sum, 8);
    Launch(&b, "sum", 13'000, 500);
    b.TorchStep(14'000, 0);
    b.TorchStep(100'000, node, kEngineTid);
    b.TorchSequence(100'000, node, 7, kEngineTid);
    Launch(&b, "mul_backward", 101'000, 5'000, kEngineTid);
    b.TorchStep(110'000, again, kEngineTid);
    Launch(&b, "mul", 111'000, 3'000, kEngineTid);
    b.TorchStep(114'000, node, kEngineTid);
    b.TorchStep(115'000, 0, kEngineTid);
  }
};

TEST_CASE("A module has its calls, and its time on the host and in both passes") {
  OneLayer run;
  const Report report = Analyze(run.b.Snapshot());
  REQUIRE(report.error.empty());
  CHECK(report.torch.gpu_ns == 12'500);
  CHECK(report.torch.gpu_in_modules_ns == 12'000);
  REQUIRE(report.torch.modules.size() == 2);
  const TorchModule& net = report.torch.modules[0];
  CHECK(net.name == "Net");
  CHECK(net.parent == -1);
  CHECK(net.calls == 1);
  CHECK(net.cpu_ns == 10'000);
  CHECK(net.forward_ns == 4'000);
  CHECK(net.backward_ns == 8'000);  // the layer is in it by its name, also where it runs alone
  CHECK(net.gpu_self_ns == 1'000);
  CHECK(net.launches == 4);
  const TorchModule& layer = report.torch.modules[1];
  CHECK(layer.name == "Net.layers.0");
  CHECK(layer.parent == 0);
  CHECK(layer.calls == 2);
  CHECK(layer.cpu_ns == 6'000 + 4'000);
  CHECK(layer.forward_ns == 3'000);
  CHECK(layer.backward_ns == 5'000 + 3'000);
  CHECK(layer.gpu_self_ns == 11'000);
  CHECK(layer.launches == 3);
  double limited_ns = 0;
  for (const LimiterTime& limiter : layer.limiters) limited_ns += limiter.time_ns;
  CHECK(limited_ns == 11'000);
}

TEST_CASE("A kernel names its modules, and the table of ops is as without them") {
  OneLayer run;
  const Report report = Analyze(run.b.Snapshot());
  for (const KernelReport& kernel : report.kernels) {
    INFO(kernel.name);
    if (kernel.name == "sum") {
      CHECK(kernel.torch_modules.empty());
      continue;
    }
    REQUIRE(kernel.torch_modules.size() == (kernel.name == "mul" ? 2 : 1));
    CHECK(kernel.torch_modules[0].name == (kernel.name == "embed" ? "Net" : "Net.layers.0"));
    CHECK(kernel.torch_modules.back().backward ==
          (kernel.name == "mul" || kernel.name == "mul_backward"));
  }
  std::vector<std::string> ops;
  for (const TorchOp& op : report.torch.ops) ops.push_back(op.name);
  CHECK(ops == std::vector<std::string>{"MulBackward0", "aten::mul", "aten::sum"});
  const TorchOp& node = report.torch.ops[0];
  CHECK(node.gpu_self_ns == 8'000);
  CHECK(node.cpu_self_ns == 15'000);
}

TEST_CASE("A module that calls itself, or is folded, counts once") {
  SnapshotBuilder b;
  const uint32_t outer = b.TorchOp(0, "Tree", TorchScope::kModule);
  const uint32_t op = b.TorchOp(outer, "aten::add");
  const uint32_t inner = b.TorchOp(op, "Tree", TorchScope::kModule);
  b.TorchStep(1'000, outer);
  b.TorchStep(2'000, op);
  b.TorchStep(3'000, inner);
  Launch(&b, "leaf", 4'000, 2'000);
  b.TorchStep(6'000, op);
  b.TorchStep(7'000, outer);
  b.TorchStep(11'000, 0);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.torch.modules.size() == 1);
  const TorchModule& tree = report.torch.modules[0];
  CHECK(tree.calls == 2);
  CHECK(tree.cpu_ns == 10'000);
  CHECK(tree.forward_ns == 2'000);
  CHECK(tree.launches == 1);
  // The op around the inner call has all of its host time, and the kernel.
  REQUIRE(report.torch.ops.size() == 1);
  CHECK(report.torch.ops[0].cpu_self_ns == 5'000);
  CHECK(report.torch.ops[0].launches == 1);
}

TEST_CASE("A module stands behind the one around it, also where that was called later") {
  SnapshotBuilder b;
  int64_t at_ns = 1'000;
  for (const char* name : {"Net.b.c", "Other", "Net", "Net.a"}) {
    b.TorchStep(at_ns, b.TorchOp(0, name, TorchScope::kModule));
    b.TorchStep(at_ns + 500, 0);
    at_ns += 1'000;
  }
  Launch(&b, "kernel", 100'000, 1'000);
  const Report report = Analyze(b.Snapshot());
  std::vector<std::string> names;
  std::vector<int> parents;
  for (const TorchModule& module : report.torch.modules) {
    names.push_back(module.name);
    parents.push_back(module.parent);
  }
  CHECK(names == std::vector<std::string>{"Other", "Net", "Net.b.c", "Net.a"});
  CHECK(parents == std::vector<int>{-1, -1, 1, 1});
}

TEST_CASE("Without modules there is no table of them") {
  SnapshotBuilder b;
  b.TorchStep(1'000, b.TorchOp(0, "aten::add"));
  Launch(&b, "kernel", 2'000, 1'000);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.torch.recorded);
  CHECK(report.torch.modules.empty());
  CHECK(report.torch.gpu_in_modules_ns == 0);
}

}  // namespace
}  // namespace prof::torch_modules_test
