// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_torch.h"

#include <cstdint>
#include <string>
#include <vector>

#include "lib/html/gather.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::html::gather_torch_test {
namespace {

using test::SnapshotBuilder;

// Two ops, of which one calls a third one; a kernel of each.
struct Program {
  Program() {
    const uint32_t linear = b.TorchOp(0, "aten::linear");
    const uint32_t addmm = b.TorchOp(linear, "aten::addmm");
    const uint32_t sum = b.TorchOp(0, "aten::sum");
    b.TorchStep(0, linear);
    b.TorchStep(1'000, addmm);
    b.Kernel(b.Shape("gemm", {1}, {32}), "", 12'000, 15'000);
    b.TorchStep(20'000, sum);
    b.Kernel(b.Shape("reduce", {1}, {32}), "", 31'000, 33'000);
    b.TorchStep(40'000, 0);
    b.Kernel(b.Shape("alone", {1}, {32}), "", 60'000, 61'000);
  }

  SnapshotBuilder b;
};

// The names of the kernels of the op.
std::vector<std::string> KernelsOf(const std::string& op, const Report& report,
                                   const TimelineData& data) {
  std::vector<std::string> names;
  for (size_t i = 0; i < report.torch.ops.size(); ++i) {
    if (report.torch.ops[i].name != op) continue;
    for (const int32_t kernel : data.op_kernels.at(i)) {
      names.push_back(report.kernels.at(static_cast<size_t>(kernel)).name);
    }
  }
  return names;
}

TEST_CASE("an op has the kernels that were launched in it, and in the ops that it called") {
  Program program;
  const Snapshot snapshot = program.b.Snapshot();
  const auto model = ReadSnapshot(snapshot);
  REQUIRE(model.ok());
  const Report report = Analyze(snapshot);
  const TimelineData data = Gather(*model, report);
  REQUIRE(data.op_kernels.size() == report.torch.ops.size());
  CHECK(KernelsOf("aten::addmm", report, data) == std::vector<std::string>{"gemm"});
  CHECK(KernelsOf("aten::linear", report, data) == std::vector<std::string>{"gemm"});
  CHECK(KernelsOf("aten::sum", report, data) == std::vector<std::string>{"reduce"});
}

TEST_CASE("without ops of PyTorch there are no kernels of ops") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("alone", {1}, {32}), "", 60'000, 61'000);
  const Snapshot snapshot = b.Snapshot();
  CHECK(Gather(*ReadSnapshot(snapshot), Analyze(snapshot)).op_kernels.empty());
}

}  // namespace
}  // namespace prof::html::gather_torch_test
