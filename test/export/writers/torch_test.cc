// SPDX-License-Identifier: Apache-2.0
//
// What exports have of the ops of PyTorch.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"
#include "prof/export.h"
#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::torch_test {
namespace {

using test::SnapshotBuilder;

// Three launches of one kernel: in an op of a module, in the node that the op made, and in none.
Snapshot ThreeLaunches() {
  SnapshotBuilder b;
  const uint32_t fc = b.TorchOp(0, "Net.fc", model::TorchScope::kModule);
  const uint32_t mul = b.TorchOp(fc, "aten::mul"), sum = b.TorchOp(0, "aten::sum");
  const uint32_t node = b.TorchOp(0, "MulBackward0", model::TorchScope::kBackward);
  const uint32_t kernel = b.Shape("kernel", {1}, {32});
  b.TorchStep(1'000, mul);
  b.TorchSequence(1'000, mul, 7);
  b.Kernel(kernel, "", 12'000, 13'000);
  b.TorchStep(8'000, 0);
  b.TorchStep(9'000, sum);
  b.TorchSequence(9'000, sum, 8);
  b.TorchStep(10'000, 0);
  b.TorchStep(20'000, node);
  b.TorchSequence(20'000, node, 7);
  b.Kernel(kernel, "", 31'000, 32'000);
  b.TorchStep(28'000, 0);
  b.Kernel(kernel, "", 51'000, 52'000);
  return b.Snapshot();
}

TEST_CASE("An operation has its op of PyTorch, and that of the forward pass") {
  const Events events = ReadEvents(ThreeLaunches());
  REQUIRE(events.operations().size() == 3);
  const auto op = [&](size_t row) { return events.paths()[events.operations()[row].torch_op]; };
  const auto forward = [&](size_t row) {
    return events.paths()[events.operations()[row].torch_forward].full;
  };
  CHECK(op(0).full == "aten::mul");
  CHECK(op(0).torch_op);
  CHECK(forward(0).empty());
  CHECK(op(1).full == "MulBackward0");
  CHECK(forward(1) == "aten::mul");
  CHECK(op(2).full.empty());
  CHECK_FALSE(op(2).torch_op);
  const auto module = [&](size_t row) {
    return events.paths()[events.operations()[row].torch_module].full;
  };
  CHECK(module(0) == "Net.fc");
  CHECK(module(1) == "Net.fc");
  CHECK(module(2).empty());
}

TEST_CASE("Chrome's kernels have their own op each, though they are of one signature") {
  ExportOptions options;
  options.format = ExportFormat::kChrome;
  const auto json = nlohmann::json::parse(test::Exported(ThreeLaunches(), options));
  std::map<double, nlohmann::json> kernels;  // their arguments, by time
  for (const auto& event : json["traceEvents"]) {
    if (event.value("cat", "") == "kernel") kernels[event["ts"].get<double>()] = event["args"];
  }
  REQUIRE(kernels.size() == 3);
  auto kernel = kernels.begin();
  CHECK(kernel->second["torch_op"] == "aten::mul");
  CHECK_FALSE(kernel->second.contains("torch_forward"));
  CHECK(kernel->second["torch_module"] == "Net.fc");
  ++kernel;
  CHECK(kernel->second["torch_op"] == "MulBackward0");
  CHECK(kernel->second["torch_forward"] == "aten::mul");
  ++kernel;
  CHECK_FALSE(kernel->second.contains("torch_op"));
  CHECK_FALSE(kernel->second.contains("torch_module"));
}

// A module with an op that is called with shapes and makes node 7, its node, and a marked scope
// that launches within the range "part". Times in microseconds: 1 to 8, 20 to 28, 40 to 49.
Snapshot Step() {
  SnapshotBuilder b;
  const uint32_t fc = b.TorchOp(0, "Net.fc", model::TorchScope::kModule);
  const uint32_t mul = b.TorchOp(fc, "aten::mul"), sum = b.TorchOp(0, "aten::sum");
  const uint32_t node = b.TorchOp(0, "MulBackward0", model::TorchScope::kBackward);
  const uint32_t scope = b.TorchOp(0, "my scope", model::TorchScope::kUser);
  const uint32_t kernel = b.Shape("kernel", {1}, {32});
  b.TorchStep(1'000, fc);
  b.TorchStep(2'000, mul, test::kMainTid, "[[8, 1024], []]");
  b.TorchSequence(2'100, mul, 7);
  b.Kernel(kernel, "", 13'000, 14'000);
  b.TorchStep(7'000, fc);
  b.TorchStep(8'000, 0);
  b.TorchStep(9'000, sum, test::kMainTid, "[[8, 1024], ...]");
  b.TorchSequence(9'100, sum, 8);
  b.TorchStep(10'000, 0);
  b.TorchStep(20'000, node);
  b.TorchSequence(20'100, node, 7);
  b.Kernel(kernel, "", 31'000, 32'000);
  b.TorchStep(28'000, 0);
  b.Range("part", 39'000, 50'000);
  b.TorchStep(40'000, scope);
  b.Kernel(kernel, "", 51'000, 52'000);
  b.TorchStep(49'000, 0);
  return b.Snapshot();
}

TEST_CASE("Ops of PyTorch are events, with the number of a node and the op that made it") {
  const Events events = ReadEvents(Step());
  std::vector<std::string> names;
  for (const TorchOpEvent& op : events.torch_ops()) names.push_back(events.paths()[op.path].name);
  REQUIRE(names ==
          std::vector<std::string>{"Net.fc", "aten::mul", "aten::sum", "MulBackward0", "my scope"});
  const TorchOpEvent module = events.torch_ops()[0], mul = events.torch_ops()[1];
  CHECK(module.kind == TorchOpKind::kModule);
  CHECK(module.end_ns - module.start_ns == 7'000);
  CHECK(mul.kind == TorchOpKind::kFunction);
  CHECK(mul.shapes == "[[8, 1024], []]");
  CHECK(mul.sequence == 7);
  CHECK(mul.forward == -1);
  const TorchOpEvent sum = events.torch_ops()[2], node = events.torch_ops()[3];
  CHECK(sum.sequence == -1);  // the node that it may have made did not run
  CHECK(node.kind == TorchOpKind::kNode);
  CHECK(node.sequence == 7);
  CHECK(node.forward == 1);
  CHECK(node.shapes.empty());
  CHECK(events.torch_ops()[4].kind == TorchOpKind::kUser);
}

TEST_CASE("A node whose maker is not known has its number alone") {
  SnapshotBuilder b;
  const uint32_t node = b.TorchOp(0, "MulBackward0", model::TorchScope::kBackward);
  b.TorchStep(20'000, node);
  b.TorchSequence(20'000, node, 7);
  b.TorchStep(28'000, 0);
  const Events events = ReadEvents(b.Snapshot());
  REQUIRE(events.torch_ops().size() == 1);
  CHECK(events.torch_ops()[0].sequence == 7);
  CHECK(events.torch_ops()[0].forward == -1);
}

nlohmann::json ChromeEvents(const Snapshot& snapshot) {
  ExportOptions options;
  options.format = ExportFormat::kChrome;
  return nlohmann::json::parse(test::Exported(snapshot, options))["traceEvents"];
}

// The events with this category, by name.
std::map<std::string, nlohmann::json> OfCategory(const nlohmann::json& events,
                                                 const std::string& category) {
  std::map<std::string, nlohmann::json> found;
  for (const auto& event : events) {
    if (event.value("cat", "") == category) found[event["name"].get<std::string>()] = event;
  }
  return found;
}

TEST_CASE("Chrome's trace has ops of PyTorch with the names and arguments of Kineto") {
  const auto events = ChromeEvents(Step());
  auto ops = OfCategory(events, "cpu_op");
  REQUIRE(ops.size() == 3);
  CHECK(ops["aten::mul"]["dur"] == 5.0);
  CHECK(ops["aten::mul"]["tid"] == test::kMainTid);
  CHECK(ops["aten::mul"]["args"] == nlohmann::json::parse(R"({"External id": 2,
        "Sequence number": 7, "Fwd thread id": 0, "Input Dims": [[8, 1024], []]})"));
  CHECK(ops["aten::sum"]["args"] == nlohmann::json::parse(R"({"External id": 3})"));  // cut shapes
  CHECK(ops["MulBackward0"]["args"] ==
        nlohmann::json::parse(R"({"External id": 4, "Sequence number": 7, "Fwd thread id": 1})"));
  auto modules = OfCategory(events, "python_function");
  REQUIRE(modules.size() == 1);
  CHECK(modules["nn.Module: Net.fc"]["args"] == nlohmann::json::parse(R"({"Python id": 1})"));
  CHECK(OfCategory(events, "user_annotation").count("my scope") == 1);
  const auto on_gpu = OfCategory(events, "gpu_user_annotation");
  REQUIRE(on_gpu.count("my scope") == 1);
  CHECK(on_gpu.at("my scope")["ts"] == 51.0);
  CHECK(on_gpu.at("my scope")["dur"] == 1.0);
}

TEST_CASE("A call and its operation in Chrome's trace have the id of their op") {
  std::map<double, int> calls, kernels;  // External id, by time
  for (const auto& event : ChromeEvents(Step())) {
    const std::string category = event.value("cat", "");
    if (category != "kernel" && category != "cuda_runtime") continue;
    auto& found = category == "kernel" ? kernels : calls;
    found[event["ts"].get<double>()] = event["args"]["External id"].get<int>();
  }
  CHECK(calls == std::map<double, int>{{3.0, 2}, {21.0, 4}, {41.0, 5}});
  CHECK(kernels == std::map<double, int>{{13.0, 2}, {31.0, 4}, {51.0, 5}});
  for (const auto& event : ChromeEvents(test::ExampleRecording())) {  // without ops
    CHECK_FALSE(event.value("args", nlohmann::json::object()).contains("External id"));
  }
}

TEST_CASE("An arrow in Chrome's trace leads from an op to the node that it made") {
  std::vector<std::string> ends;
  for (const auto& event : ChromeEvents(Step())) {
    if (event.value("cat", "") != "fwdbwd") continue;
    ends.push_back(event["ph"].get<std::string>() + std::to_string(event["id"].get<int>()) +
                   " at " + std::to_string(event["ts"].get<int>()));
  }
  CHECK(ends == std::vector<std::string>{"s4 at 2", "f4 at 20"});
}

std::vector<size_t> SelectedOps(const Events& events, const ExportOptions& options) {
  std::string problem;
  const exporting::Selection selection(events, options, &problem);
  REQUIRE(problem.empty());
  std::vector<size_t> rows;
  for (size_t row = 0; row < events.torch_ops().size(); ++row) {
    if (selection.Has(events.torch_ops()[row], row)) rows.push_back(row);
  }
  return rows;
}

TEST_CASE("A part of a recording has the ops of PyTorch in that part") {
  const Events events = ReadEvents(Step());
  CHECK(SelectedOps(events, {}).size() == 5);
  ExportOptions in_range, early, longest;
  in_range.range = "part";
  CHECK(SelectedOps(events, in_range) == std::vector<size_t>{4});
  early.to_ns = 8'500 - events.process().start_ns;
  CHECK(SelectedOps(events, early) == std::vector<size_t>{0, 1});
  longest.keep = 2;
  CHECK(SelectedOps(events, longest) == std::vector<size_t>{3, 4});
}

}  // namespace
}  // namespace prof::torch_test
