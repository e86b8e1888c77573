// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/report/csv.h"
#include "lib/report/json.h"
#include "lib/report/text/details/kernel_detail.h"
#include "lib/report/text/sections/modules_section.h"
#include "lib/report/text/sections/torch_section.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::modules_test {
namespace {

using test::Contains;

TorchModule Module(const char* name, int parent, double forward_ns, double backward_ns) {
  TorchModule module;
  module.name = name;
  module.parent = parent;
  module.calls = 3;
  module.forward_ns = forward_ns;
  module.backward_ns = backward_ns;
  module.launches = 5;
  return module;
}

Report WithModules() {
  Report report;
  TorchReport& torch = report.torch;
  torch.recorded = true;
  torch.gpu_ns = 10e6;
  torch.gpu_in_modules_ns = 8e6;
  torch.modules = {Module("Net", -1, 4e6, 4e6), Module("Net.small", 0, 0.5e6, 0),
                   Module("Net.layers.0", 0, 3e6, 4e6), Module("Net.layers.0.fc", 2, 2e6, 1e6)};
  torch.modules[2].limiters = {{Limiter::kTensor, 2e6}, {Limiter::kDram, 1e6}};
  torch.modules[2].gain_at_most_ns = 1.5e6;
  KernelReport kernel;
  kernel.name = "gemm";
  for (const char* name : {"Net.layers.0.fc", "b", "c", "d", "e", "f"}) {
    kernel.torch_modules.push_back({name, kernel.torch_modules.empty(), 2e6, 7});
  }
  report.kernels = {kernel, KernelReport()};
  return report;
}

std::string Modules(const Report& report, TextOptions options = {}) {
  std::ostringstream out;
  CHECK(report::WriteModules(out, report, options));
  return out.str();
}

TEST_CASE("The table of modules is a tree, with most GPU time first in each module") {
  const std::string text = Modules(WithModules());
  CHECK_THAT(text, Contains("80.0 % of the GPU time"));
  CHECK_THAT(text, Contains("tensor 66.7 %"));
  CHECK_THAT(text, Contains("1.50 ms"));
  const size_t layer = text.find("  layers.0\n"), inner = text.find("    fc\n");
  const size_t small = text.find("  small\n");
  REQUIRE(small != std::string::npos);
  CHECK(layer < inner);
  CHECK(inner < small);
}

TEST_CASE("Modules are cut at --top, those around a shown one stay, and can be ordered") {
  TextOptions options;
  options.max_rows = 3;
  std::string text = Modules(WithModules(), options);
  CHECK_THAT(text, Contains("    fc\n"));
  CHECK(text.find("small") == std::string::npos);
  CHECK_THAT(text, Contains("and 1 more modules"));
  options.max_rows = 20;
  options.sort = SortBy::kName;
  Report report = WithModules();
  report.torch.modules[1].name = "Net.a";
  text = Modules(report, options);
  CHECK(text.find("  a\n") < text.find("  layers.0\n"));
}

TEST_CASE("A kernel's detail names its modules") {
  const Report report = WithModules();
  std::ostringstream out;
  TextOptions options;
  options.width = 200;
  WriteKernelDetail(out, report.kernels[0], options);
  CHECK_THAT(out.str(), Contains("Net.layers.0.fc (backward) 2.00 ms, 7 launches; b 2.00 ms"));
  CHECK_THAT(out.str(), Contains("; and 1 more"));
  std::ostringstream none;
  WriteKernelDetail(none, report.kernels[1], options);
  CHECK(none.str().find("module") == std::string::npos);
}

TEST_CASE("JSON and CSV have the modules") {
  std::ostringstream out;
  WriteJson(out, WithModules());
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["torch"]["gpu_in_modules_ns"] == 8e6);
  const auto& modules = json["torch"]["modules"];
  REQUIRE(modules.size() == 4);
  CHECK(modules[0]["parent"].is_null());
  CHECK(modules[3]["parent"] == 2);
  CHECK(modules[3]["name"] == "Net.layers.0.fc");
  CHECK(modules[2]["gain_at_most_ns"] == 1.5e6);
  CHECK(modules[2]["limiters"][0]["limiter"] == "tensor");
  CHECK(json["kernels"][0]["torch_modules"][0]["backward"] == true);
  std::ostringstream csv;
  WriteCsv(csv, WithModules());
  CHECK_THAT(csv.str(), Contains(",torch_op,torch_forward,torch_module\n"));
  CHECK_THAT(csv.str(), Contains(",Net.layers.0.fc\n"));
}

TEST_CASE("Without modules nothing is written of them") {
  Report report;
  report.torch.recorded = true;
  std::ostringstream out;
  CHECK_FALSE(report::WriteModules(out, report, {}));
  report::WriteTorch(out, report, {});
  CHECK(out.str().find("module") == std::string::npos);
  std::ostringstream csv;
  WriteCsv(csv, report);
  CHECK(csv.str().find("module") == std::string::npos);
}

}  // namespace
}  // namespace prof::modules_test
