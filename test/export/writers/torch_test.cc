// SPDX-License-Identifier: Apache-2.0
//
// What exports have of the ops of PyTorch.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "prof/events.h"
#include "prof/export.h"
#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof {
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

}  // namespace
}  // namespace prof
