// SPDX-License-Identifier: Apache-2.0
//
// Work between nodes of the autograd graph, of which the forward op is that of the node before.
#include "lib/snapshot/join/node_before.h"

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::snapshot::node_before_test {
namespace {

using model::TorchScope;

constexpr uint32_t kEngineTid = 2000, kOtherTid = 3000;  // threads of autograd

// Two forward ops that make nodes 7 and 8, and functions of PyTorch's engine.
struct Engine {
  test::SnapshotBuilder b;
  uint32_t mul_function = Function("MulBackward0"), add_function = Function("AddBackward0");
  uint32_t grad_function = Function("torch::autograd::AccumulateGrad");
  uint32_t mul_node = b.TorchOp(mul_function, "MulBackward0", TorchScope::kBackward);
  uint32_t add_node = b.TorchOp(add_function, "AddBackward0", TorchScope::kBackward);
  uint32_t grad_node =
      b.TorchOp(grad_function, "torch::autograd::AccumulateGrad", TorchScope::kBackward);
  int64_t now_ns = 100'000;

  Engine() {
    int64_t at_ns = 1'000;
    for (const auto& [name, number] : {std::pair("aten::mul", 7), {"aten::add", 8}}) {
      const uint32_t op = b.TorchOp(0, name), inner = b.TorchOp(op, "aten::empty");
      b.TorchStep(at_ns, op);
      if (number == 7) b.TorchSequence(at_ns, op, 7);  // later ones are written where they change
      b.TorchStep(at_ns + 1'000, inner);
      b.TorchSequence(at_ns + 1'000, inner, static_cast<uint64_t>(number) + 1);
      b.TorchStep(at_ns + 3'000, 0);
      at_ns += 10'000;
    }
  }

  uint32_t Function(const std::string& node) {
    return b.TorchOp(0, std::string(model::kTorchEngine) + node);
  }
  void At(uint32_t path) {
    b.TorchStep(now_ns, path, kEngineTid);
    now_ns += 1'000;
  }
  void Launch() {
    test::Launch how;
    how.tid = kEngineTid;
    b.Kernel(b.Shape("kernel", {1}, {32}), "", now_ns + 10'000, now_ns + 10'500, how);
    now_ns += 1'000;
  }
  // A node that launches nothing, with its number.
  void Run(uint32_t function, uint32_t node, uint64_t number) {
    At(function);
    b.TorchSequence(now_ns, node, number, kEngineTid);
    At(node);
  }
  void Accumulate() {
    At(grad_function);
    At(grad_node);
    At(b.TorchOp(grad_node, "aten::add_"));
    Launch();
    At(grad_node);
    At(grad_function);
    At(0);
  }

  // The forward op of each launch; "" where it is not known.
  std::vector<std::string> Forwards() {
    auto model = ReadSnapshot(b.Snapshot());
    REQUIRE(model.ok());
    CHECK(model->truncation.empty());
    std::vector<std::string> names;
    for (size_t i = 0; i < model->ops.size(); ++i) {
      const model::TorchPlace place = model->torch.PlaceOf(i);
      names.push_back(model->paths[place.forward_op].name);
      CHECK(place.forward_inferred == !names.back().empty());
    }
    return names;
  }
};

using Names = std::vector<std::string>;

TEST_CASE("A sum of gradients in a node's function has the node's forward op, as inferred") {
  Engine e;
  e.Run(e.mul_function, e.mul_node, 7);
  e.At(e.mul_function);
  e.At(e.b.TorchOp(e.mul_function, "aten::sum"));
  e.Launch();
  e.At(e.mul_function);
  e.At(e.b.TorchOp(e.mul_function, "aten::add"));
  e.Launch();
  e.At(e.mul_function);
  e.At(0);
  CHECK(e.Forwards() == Names{"aten::mul", "aten::mul"});
}

TEST_CASE("What a node's function does before the node has no forward op of an earlier node") {
  Engine e;
  e.Run(e.mul_function, e.mul_node, 7);
  e.At(e.mul_function);
  e.At(0);
  e.At(e.mul_function);  // the next call of it
  e.At(e.b.TorchOp(e.mul_function, "aten::add"));
  e.Launch();
  e.At(0);
  CHECK(e.Forwards() == Names{""});
}

TEST_CASE("Gradients that accumulate directly behind a node are of that node") {
  Engine e;
  e.Run(e.add_function, e.add_node, 8);
  e.At(e.add_function);
  e.At(0);
  e.Run(e.mul_function, e.mul_node, 7);
  e.At(e.mul_function);
  e.At(0);
  e.Accumulate();
  e.Accumulate();  // of a second input of the same node
  CHECK(e.Forwards() == Names{"aten::mul", "aten::mul"});
}

TEST_CASE("Gradients that accumulate after a wait, or after other work, are of no known node") {
  Engine e;
  e.Run(e.mul_function, e.mul_node, 7);
  e.At(e.mul_function);
  e.At(0);
  SECTION("a wait") { e.now_ns += 200'000; }
  SECTION("an op of no node") {
    e.At(e.b.TorchOp(0, "aten::zero_"));
    e.At(0);
  }
  SECTION("a node whose number is not known") {
    e.At(e.add_function);
    e.At(e.add_node);
    e.At(0);
  }
  e.Accumulate();
  CHECK(e.Forwards() == Names{""});
}

TEST_CASE("Gradients that accumulate while another thread runs nodes are of no known node") {
  Engine e;
  e.now_ns += 500'000;
  const int64_t other_ns = e.now_ns + GENERATE(-200'000, 1'500);
  const bool runs_on = GENERATE(false, true);
  e.b.TorchStep(other_ns, e.add_function, kOtherTid);
  e.b.TorchStep(other_ns + 100, e.add_node, kOtherTid);
  e.b.TorchSequence(other_ns + 100, e.add_node, 8, kOtherTid);
  e.b.TorchStep(other_ns + 200, e.add_function, kOtherTid);
  e.b.TorchStep(other_ns + (runs_on ? 400'000 : 300), 0, kOtherTid);
  e.Run(e.mul_function, e.mul_node, 7);
  e.At(e.mul_function);
  e.At(0);
  e.Accumulate();
  const bool before = other_ns < 600'000 && !runs_on;
  CHECK(e.Forwards() == Names{before ? "aten::mul" : ""});
}

TEST_CASE("Gradients that accumulate first have no forward op") {
  Engine e;
  e.Accumulate();
  CHECK(e.Forwards() == Names{""});
}

TEST_CASE("A node that ran within another one is not the node of that one's function") {
  Engine e;
  e.Run(e.mul_function, e.mul_node, 7);
  const uint32_t inner = e.b.TorchOp(e.mul_node, std::string(model::kTorchEngine) + "AddBackward0");
  e.Run(inner, e.b.TorchOp(inner, "AddBackward0", TorchScope::kBackward), 8);
  e.At(inner);
  e.At(e.mul_node);
  e.At(e.mul_function);
  e.At(e.b.TorchOp(e.mul_function, "aten::sum"));
  e.Launch();
  e.At(0);
  CHECK(e.Forwards() == Names{"aten::mul"});
}

}  // namespace
}  // namespace prof::snapshot::node_before_test
