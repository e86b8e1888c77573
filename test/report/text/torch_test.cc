// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/report/csv.h"
#include "lib/report/json.h"
#include "lib/report/text/details/kernel_detail.h"
#include "lib/report/text/sections/kernels_section.h"
#include "lib/report/text/sections/torch_section.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::torch_test {
namespace {

using test::Contains;

// A forward op and the node that it made.
Report WithOps() {
  Report report;
  TorchReport& torch = report.torch;
  torch.recorded = true;
  torch.gpu_ns = 10e6;
  torch.gpu_in_ops_ns = 9e6;
  torch.backward_ns = 6e6;
  torch.forward_known_ns = 3e6;
  torch.forward_inferred_ns = 1.5e6;
  TorchOp node;
  node.name = "AddmmBackward0";
  node.kind = TorchOp::Kind::kNode;
  node.backward = true;
  node.forward = "aten::addmm";
  node.calls = 7;
  node.gpu_ns = node.gpu_self_ns = 6e6;
  node.cpu_ns = 2e6;
  node.cpu_self_ns = 1e6;
  node.launches = 14;
  TorchOp addmm;
  addmm.name = "aten::addmm";
  addmm.calls = 8;
  addmm.gpu_ns = addmm.gpu_self_ns = 3e6;
  addmm.backward_gpu_ns = 3e6;
  addmm.launches = 8;
  addmm.limiters = {{Limiter::kTensor, 2e6}, {Limiter::kDram, 1e6}};
  torch.ops = {node, addmm};
  torch.ranges = {{"step/layer 1", 3e6, 6e6}};
  KernelReport kernel;
  kernel.name = "gemm";
  kernel.torch_ops = {{"aten::mm", "aten::addmm", true, 6e6, 14}};
  report.kernels = {kernel, KernelReport()};
  return report;
}

std::string Ops(const Report& report, TextOptions options = {}) {
  std::ostringstream out;
  CHECK(report::WriteTorchOps(out, report, options));
  return out.str();
}

TEST_CASE("The table of ops has their times, their passes and what limits them") {
  const std::string text = Ops(WithOps());
  CHECK_THAT(text, Contains("AddmmBackward0 (of aten::addmm)"));
  CHECK_THAT(text, Contains("backward"));
  CHECK_THAT(text, Contains("tensor 66.7 %"));
  CHECK_THAT(text, Contains("step/layer 1"));
  CHECK_THAT(text, Contains("90.0 % of the GPU time"));
  CHECK_THAT(text, Contains("(25.0 % by the node that ran before)"));
  CHECK(text.find("AddmmBackward0") < text.rfind("aten::addmm"));
}

TEST_CASE("Ops can be ordered, and are cut at --top") {
  TextOptions options;
  options.sort = SortBy::kCalls;
  options.max_rows = 1;
  const std::string text = Ops(WithOps(), options);
  CHECK_THAT(text, Contains("aten::addmm"));
  CHECK(text.find("AddmmBackward0") == std::string::npos);
  CHECK_THAT(text, Contains("and 1 more ops"));
}

TEST_CASE("A wide table of ops has shares and times a call, and the time of all ops") {
  Report report = WithOps();
  report.torch.ops[1].cpu_self_ns = 3e6;
  report.torch.ops[1].cpu_ns = 4e6;
  TextOptions options;
  const std::string narrow = Ops(report, options);
  CHECK(narrow.find("a call") == std::string::npos);
  CHECK_THAT(narrow, Contains("Threads were in ops for 4.00 ms."));
  options.width = 200;
  const std::string wide = Ops(report, options);
  CHECK_THAT(wide, Contains("60.0 %"));  // 6 of 10 ms of the GPU
  CHECK_THAT(wide, Contains("75.0 %"));  // 3 of 4 ms in ops
  CHECK_THAT(wide, Contains("857 us"));  // 6 ms in 7 calls
  CHECK_THAT(wide, Contains("500 us"));  // 4 ms in 8 calls
}

TEST_CASE("Ops are ordered by the key that was asked for") {
  Report report = WithOps();
  TorchOp linear;
  linear.name = "aten::linear";
  linear.calls = 8;
  linear.gpu_ns = 7e6;
  linear.cpu_self_ns = 0.5e6;
  linear.cpu_ns = 9e6;
  report.torch.ops.push_back(linear);
  const auto first = [&](SortBy sort) {
    TextOptions options;
    options.sort = sort;
    options.max_rows = 1;
    const std::string text = Ops(report, options);
    for (const char* name : {"AddmmBackward0", "aten::linear"}) {
      if (text.find(name) != std::string::npos) return std::string(name);
    }
    return text;
  };
  CHECK(first(SortBy::kTime) == "AddmmBackward0");
  CHECK(first(SortBy::kTotal) == "aten::linear");
  CHECK(first(SortBy::kCpu) == "AddmmBackward0");
  CHECK(first(SortBy::kCpuTotal) == "aten::linear");
  CHECK(first(SortBy::kAverage) == "aten::linear");
  report.torch.ops[2].calls = 80;
  CHECK(first(SortBy::kAverage) == "AddmmBackward0");
}

TEST_CASE("The table by shapes has the shapes of the inputs, in text and in JSON") {
  Report report = WithOps();
  std::ostringstream none;
  CHECK_FALSE(report::WriteTorchShapes(none, report, {}));
  CHECK(none.str().empty());
  report.torch.ops_by_shapes = {report.torch.ops[1], report.torch.ops[1]};
  report.torch.ops_by_shapes[0].shapes = "[[4096], [8, 1023], [1023, 4096], [], []]";
  std::ostringstream out;
  TextOptions wide;
  wide.width = 160;
  REQUIRE(report::WriteTorchShapes(out, report, wide));
  CHECK_THAT(out.str(), Contains("input shapes"));
  CHECK_THAT(out.str(), Contains("[[4096], [8, 1023], [1023, 4096], [], []]"));
  std::ostringstream as_json;
  WriteJson(as_json, report);
  const auto json = nlohmann::json::parse(as_json.str())["torch"];
  REQUIRE(json["ops_by_shapes"].size() == 2);
  CHECK(json["ops_by_shapes"][0]["name"] == "aten::addmm");
  CHECK(json["ops_by_shapes"][0]["shapes"] == "[[4096], [8, 1023], [1023, 4096], [], []]");
  CHECK(json["ops_by_shapes"][1]["shapes"] == "");
  CHECK_FALSE(json["ops"][0].contains("shapes"));
}

// The table of kernels, and the detail of the first one.
std::string Kernels(const Report& report) {
  std::ostringstream out;
  TextOptions options;
  options.width = 200;
  report::WriteKernels(out, report, options);
  WriteKernelDetail(out, report.kernels[0], options);
  return out.str();
}

TEST_CASE("A kernel outside of all ranges has the op that launched it in the place of the range") {
  Report report = WithOps();
  report.kernels[0].torch_ops.push_back({"aten::linear", "", false, 1e6, 2});
  report.kernels[0].lines = {{"/app/train.py", "step", 20, false, 7e6, 16}};
  std::string text = Kernels(report);
  CHECK_THAT(text, Contains("range or op"));
  CHECK_THAT(text, Contains("aten::addmm, backward +1"));
  CHECK_THAT(text, Contains("op          aten::mm of aten::addmm (backward) 6.00 ms, 14 launches; "
                            "aten::linear 1.00 ms, 2 launches"));
  CHECK_THAT(text, Contains("line        /app/train.py:20 step 7.00 ms, 16 launches"));
  report.kernels[0].range = "step";
  text = Kernels(report);
  CHECK(text.find("aten::addmm, backward") == std::string::npos);
}

TEST_CASE("Without ops a kernel outside of all ranges has the line that launched it") {
  Report report;
  report.lines.own.emplace_back();
  KernelReport kernel;
  kernel.name = "gemm";
  kernel.lines = {{"/app/train.py", "step", 20, false, 7e6, 16}};
  report.kernels = {kernel, KernelReport()};
  const std::string text = Kernels(report);
  CHECK_THAT(text, Contains("range or"));
  CHECK_THAT(text, Contains("  train.py:20\n"));
}

TEST_CASE("Without ops nothing is written of them") {
  std::ostringstream out;
  CHECK_FALSE(report::WriteTorchOps(out, Report(), {}));
  report::WriteTorch(out, Report(), {});
  CHECK(out.str().empty());
  std::ostringstream json;
  WriteJson(json, Report());
  CHECK(nlohmann::json::parse(json.str())["torch"].is_null());
  std::ostringstream csv;
  WriteCsv(csv, Report());
  CHECK(csv.str().find("torch") == std::string::npos);
}

TEST_CASE("JSON and CSV have the ops") {
  std::ostringstream out;
  WriteJson(out, WithOps());
  const auto json = nlohmann::json::parse(out.str());
  const auto& torch = json["torch"];
  CHECK(torch["gpu_in_ops_ns"] == 9e6);
  REQUIRE(torch["ops"].size() == 2);
  CHECK(torch["ops"][0]["kind"] == "node");
  CHECK(torch["ops"][0]["forward"] == "aten::addmm");
  CHECK(torch["ops"][1]["limiters"][0]["limiter"] == "tensor");
  CHECK(torch["ranges"][0]["backward_ns"] == 6e6);
  CHECK(json["kernels"][0]["torch_ops"][0]["name"] == "aten::mm");
  CHECK(json["kernels"][1]["torch_ops"].empty());
  std::ostringstream csv;
  WriteCsv(csv, WithOps());
  std::string header, first, second;
  std::istringstream lines(csv.str());
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  CHECK_THAT(header, Contains(",torch_op,torch_forward"));
  CHECK_THAT(first, Contains(",aten::mm,aten::addmm"));
  CHECK(second.substr(second.size() - 2) == ",,");
}

}  // namespace
}  // namespace prof::torch_test
