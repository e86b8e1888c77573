// SPDX-License-Identifier: Apache-2.0
//
// Operations by type, their rates and peaks.
#include "lib/analyzer/kernels/flops.h"

#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::analyzer::flops_test {
namespace {

// Of an H200, as CUPTI gives them.
model::Device Gh100() {
  model::Device device;
  device.chip = "GH100";
  device.sm_count = 132;
  device.sm_clock_khz = 1'980'000;
  device.peaks = {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 16'896},
                  {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 16'896},
                  {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained", 8'448},
                  {"sm__ops_path_tensor_op_hgmma_src_fp16.sum.peak_sustained", 1'081'344},
                  {"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained", 1'081'344}};
  return device;
}

struct Kernel {
  KernelReport report;
  std::vector<std::string> notes;
  Kernel() { report.duration_ns = {3, 100'000, 100'000, 100'000, 300'000}; }

  void Count(const std::string& op, double count) {
    Metric("smsp__sass_thread_inst_executed_op_" + op + "_pred_on.sum", count);
  }
  void Metric(const std::string& name, double value) {
    report.metrics[name] = {1, value, value, value, value};
  }
  std::vector<FlopCount> Flops(const model::Device& device = Gh100()) {
    CountedFlops flops = CountFlops(report, report.duration_ns, &device);
    notes = flops.notes;
    return flops.kinds;
  }
};

const FlopCount& Of(const std::vector<FlopCount>& flops, const std::string& kind) {
  for (const FlopCount& count : flops) {
    if (count.kind == kind) return count;
  }
  FAIL("no operations of kind " << kind);
  return flops.front();
}

TEST_CASE(
    "A fused multiply-add is two operations, a half precision instruction works on two values") {
  Kernel kernel;
  for (const char* type : {"f", "d", "h"}) {
    kernel.Count(std::string(type) + "add", 1e6);
    kernel.Count(std::string(type) + "mul", 2e6);
    kernel.Count(std::string(type) + "fma", 4e6);
  }
  const std::vector<FlopCount> flops = kernel.Flops();
  CHECK(Of(flops, "fp32").per_launch == 11e6);
  CHECK(Of(flops, "fp64").per_launch == 11e6);
  CHECK(Of(flops, "fp16").per_launch == 22e6);
  CHECK(flops.front().kind == "fp16");  // most operations first
  CHECK(Of(flops, "fp32").per_s.value() == Approx(11e6 / 100e-6));
}

TEST_CASE("Peaks at the highest clock are those of the data sheet of an H200") {
  Kernel kernel;
  for (const char* op : {"ffma", "dfma", "hfma"}) kernel.Count(op, 0);
  for (const char* path : {"op_hgmma_src_fp16", "src_bf16_dst_fp32", "src_tf32_dst_fp32",
                           "src_fp8_sparsity_off", "op_igmma_src_int8", "src_fp64"}) {
    kernel.Metric(std::string("sm__ops_path_tensor_") + path + ".sum", 0);
  }
  const std::vector<FlopCount> flops = kernel.Flops();
  const auto tera = [&](const char* kind) { return Of(flops, kind).peak_per_s.value() * 1e-12; };
  CHECK(tera("fp32") == Approx(66.9).epsilon(0.001));
  CHECK(tera("fp64") == Approx(33.5).epsilon(0.002));
  CHECK(tera("fp16") == Approx(133.8).epsilon(0.001));
  // The sheet's 989 are of a lower clock under this load, 1.83 GHz.
  CHECK(tera("fp16 tensor") * 1.83 / 1.98 == Approx(989.4).epsilon(0.001));
  CHECK(tera("bf16 tensor") * 1.83 / 1.98 == Approx(989.4).epsilon(0.001));
  CHECK(tera("tf32 tensor") * 1.83 / 1.98 == Approx(494.7).epsilon(0.001));
  CHECK(tera("fp8 tensor") * 1.83 / 1.98 == Approx(1978.9).epsilon(0.001));
  CHECK(tera("int8 tensor") * 1.83 / 1.98 == Approx(1978.9).epsilon(0.001));
  CHECK(tera("fp64 tensor") == Approx(66.9).epsilon(0.002));
}

TEST_CASE("Tensor operations of warps and of warpgroups are one kind") {
  Kernel kernel;
  kernel.Metric("sm__ops_path_tensor_op_hgmma_src_fp16.sum", 6e9);
  kernel.Metric("sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum", 1e9);
  kernel.Metric("sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum", 2e9);
  kernel.Metric("gpc__cycles_elapsed.avg.per_second", 1e9);
  SECTION("where their sum needs several passes") {}
  SECTION("and are not added to the sum") {
    kernel.Metric("sm__ops_path_tensor_src_fp16.sum", 9e9);
  }
  const std::vector<FlopCount> flops = kernel.Flops();
  REQUIRE(flops.size() == 1);
  CHECK(flops[0].kind == "fp16 tensor");
  CHECK(flops[0].per_launch == 9e9);
  CHECK(flops[0].of_peak.value() == Approx(9e13 / (132 * 4096 * 1e9)));
}

TEST_CASE("A peak that is not known is absent, and so is the rate without a duration") {
  Kernel kernel;
  kernel.Metric("sm__ops_path_tensor_src_fp8_sparsity_off.sum", 1e9);
  model::Device other = Gh100();
  other.chip = "AD102";
  CHECK_FALSE(kernel.Flops(other).at(0).peak_per_s);
  CHECK(kernel.Flops(other).at(0).per_s.value() == Approx(1e13));
  kernel.report.duration_ns = {};
  CHECK_FALSE(kernel.Flops().at(0).per_s);
  CHECK(kernel.Flops().at(0).per_launch == 1e9);
}

TEST_CASE("More operations than the device can execute are not turned into a rate") {
  Kernel kernel;
  kernel.Count("ffma", 1e10);  // 200 Tflop/s
  const std::vector<FlopCount> flops = kernel.Flops();
  CHECK(flops.at(0).per_launch == 2e10);
  CHECK_FALSE(flops.at(0).per_s);
  REQUIRE(kernel.notes.size() == 1);
  CHECK_THAT(kernel.notes[0], Catch::Contains("fp32 operations read 298.9 % of the device's peak"));
}

}  // namespace
}  // namespace prof::analyzer::flops_test
