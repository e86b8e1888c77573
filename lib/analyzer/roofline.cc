// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/roofline.h"

#include "lib/analyzer/units.h"

namespace prof::analyzer {
namespace {

constexpr char kDramPeakPerCycle[] = "dram__bytes.sum.peak_sustained";

struct TensorKind {
  const char* metric;  // counts multiplications and additions
  const char* kind;
};

// Matrix instructions by the type of their inputs. Where the count over all instructions needs two
// passes, warpgroup (hgmma, igmma) and warp (hmma) instructions are counted apart.
constexpr TensorKind kTensorKinds[] = {
    {"sm__ops_path_tensor_src_fp16.sum", "fp16 tensor"},
    {"sm__ops_path_tensor_op_hgmma_src_fp16.sum", "fp16 tensor (wgmma)"},
    {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum", "fp16 tensor (mma)"},
    {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum", "fp16 tensor (mma, fp16 sums)"},
    {"sm__ops_path_tensor_src_fp16_dst_fp32.sum", "fp16 tensor"},
    {"sm__ops_path_tensor_src_fp16_dst_fp32_realtime.sum", "fp16 tensor"},
    {"sm__ops_path_tensor_src_fp16_dst_fp16.sum", "fp16 tensor (fp16 sums)"},
    {"sm__ops_path_tensor_src_fp16_dst_fp16_realtime.sum", "fp16 tensor (fp16 sums)"},
    {"sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum", "fp16, bf16 or tf32 tensor"},
    {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", "bf16 tensor"},
    {"sm__ops_path_tensor_src_bf16_dst_fp32_realtime.sum", "bf16 tensor"},
    {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", "tf32 tensor"},
    {"sm__ops_path_tensor_src_tf32_dst_fp32_realtime.sum", "tf32 tensor"},
    {"sm__ops_path_tensor_src_fp8_sparsity_off.sum", "fp8 tensor"},
    {"sm__ops_path_tensor_src_fp8.sum", "fp8 tensor"},
    {"sm__ops_path_tensor_src_fp8_dst_fp32.sum", "fp8 tensor"},
    {"sm__ops_path_tensor_src_fp8_dst_fp16.sum", "fp8 tensor (fp16 sums)"},
    {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32_realtime.sum", "fp8, fp6 or fp4 tensor"},
    {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16_realtime.sum",
     "fp8, fp6 or fp4 tensor (fp16 sums)"},
    {"sm__ops_path_tensor_src_int8.sum", "int8 tensor"},
    {"sm__ops_path_tensor_src_int8_realtime.sum", "int8 tensor"},
    {"sm__ops_path_tensor_op_igmma_src_int8.sum", "int8 tensor (wgmma)"},
    {"sm__ops_path_tensor_src_fp64.sum", "fp64 tensor"},
};

double Hertz(uint32_t khz) { return 1e3 * khz; }

std::optional<double> Peak(const model::Device* device, const std::string& metric) {
  if (device == nullptr) return std::nullopt;
  const auto it = device->peaks.find(metric);
  if (it == device->peaks.end() || !(it->second > 0)) return std::nullopt;
  return it->second;
}

std::string AbovePeak(const std::string& what, double value, double peak) {
  return what + " read " + FormatFixed(100 * value / peak, 1) +
         " % of the device's peak, above what it can reach: not used";
}

// Of the tensor operations that were counted, the kind with most of them.
void SetFlops(const KernelReport& kernel, const model::Device* device, Roofline* roofline,
              std::vector<std::string>* notes) {
  const std::optional<double> time_ns = kernel.Metric("gpu__time_duration.sum");
  if (!time_ns || !(*time_ns > 0)) return;
  const TensorKind* most = nullptr;
  double operations = 0;
  for (const TensorKind& candidate : kTensorKinds) {
    const double counted = kernel.Metric(candidate.metric).value_or(0);
    if (counted <= operations) continue;
    operations = counted;
    most = &candidate;
  }
  if (most == nullptr) return;
  const double rate = operations / (*time_ns * 1e-9);
  const std::string peak_metric = std::string(most->metric) + ".peak_sustained";
  std::optional<double> per_cycle = kernel.Metric(peak_metric);
  if (!per_cycle) per_cycle = Peak(device, peak_metric);
  if (per_cycle && device != nullptr) {
    const double clock_hz =
        kernel.Metric("gpc__cycles_elapsed.avg.per_second").value_or(Hertz(device->sm_clock_khz));
    if (clock_hz > 0) roofline->flop_peak_per_s = *per_cycle * clock_hz;
  }
  if (roofline->flop_peak_per_s && rate > *roofline->flop_peak_per_s * kPeakTolerance) {
    notes->push_back(AbovePeak(most->metric, rate, *roofline->flop_peak_per_s));
    return;
  }
  roofline->flops_per_s = rate;
  roofline->flop_kind = most->kind;
}

}  // namespace

std::optional<double> DramPeak(const model::Device* device, double clock_hz) {
  if (device == nullptr) return std::nullopt;
  if (!(clock_hz > 0)) clock_hz = Hertz(device->memory_clock_khz);
  if (!(clock_hz > 0)) return std::nullopt;
  if (const std::optional<double> per_cycle = Peak(device, kDramPeakPerCycle)) {
    return *per_cycle * clock_hz;
  }
  if (device->memory_bus_bits == 0) return std::nullopt;
  return 2.0 * clock_hz * device->memory_bus_bits / 8;
}

Roofline ComputeRoofline(const KernelReport& kernel, const model::Device* device,
                         std::vector<std::string>* notes) {
  Roofline roofline;
  const double clock_hz = kernel.Metric("dram__cycles_elapsed.avg.per_second").value_or(0);
  const std::optional<double> per_cycle = kernel.Metric(kDramPeakPerCycle);
  roofline.dram_peak_bytes_per_s = per_cycle && clock_hz > 0
                                       ? std::optional<double>(*per_cycle * clock_hz)
                                       : DramPeak(device, clock_hz);
  roofline.dram_bytes_per_s = kernel.Metric("dram__bytes.sum.per_second");
  if (roofline.dram_bytes_per_s && roofline.dram_peak_bytes_per_s &&
      *roofline.dram_bytes_per_s > *roofline.dram_peak_bytes_per_s * kPeakTolerance) {
    notes->push_back(AbovePeak("dram__bytes.sum.per_second", *roofline.dram_bytes_per_s,
                               *roofline.dram_peak_bytes_per_s));
    roofline.dram_bytes_per_s.reset();
  }
  SetFlops(kernel, device, &roofline, notes);
  if (roofline.flops_per_s && roofline.dram_bytes_per_s && *roofline.dram_bytes_per_s > 0) {
    roofline.flops_per_byte = *roofline.flops_per_s / *roofline.dram_bytes_per_s;
  }
  return roofline;
}

}  // namespace prof::analyzer
