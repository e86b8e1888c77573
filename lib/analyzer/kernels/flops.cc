// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/flops.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/format/metric_names.h"

namespace prof::analyzer {
namespace {

// Thread instructions by type: "<prefix><type>{add,mul,fma}<suffix>".
constexpr char kPrefix[] = "smsp__sass_thread_inst_executed_op_";
constexpr char kSuffix[] = "_pred_on.sum";

struct ThreadKind {
  const char* kind;
  char type;
  double lanes;  // operands that one instruction works on
};

// Half precision instructions work on two packed operands (HADD2, HMUL2, HFMA2; there are no others
// from compute capability 5.3 on). Nsight Compute's roofline counts them so, too (hadd x 2, hmul x
// 2, hfma x 4), and with it CUPTI's peak of an H200 is the 134 Tflop/s of NVIDIA's data sheet.
constexpr ThreadKind kThreadKinds[] = {{"fp32", 'f', 1}, {"fp64", 'd', 1}, {"fp16", 'h', 2}};

// Operations of the tensor cores, which count multiplications and additions. `all` is the sum of
// `parts` where it needs one pass only; parts do not overlap. Chips have one or another of them.
struct TensorKind {
  const char* kind;
  std::vector<const char*> all, parts;
  double over_fp16;  // dense rate over that of fp16, data sheets of A100 and H100
};

const std::vector<TensorKind>& TensorKinds() {
  static const std::vector<TensorKind> kinds = {
      {"fp16 tensor",
       {"src_fp16"},
       {"op_hgmma_src_fp16", "op_hmma_src_fp16_dst_fp32", "op_hmma_src_fp16_dst_fp16",
        "src_fp16_dst_fp32", "src_fp16_dst_fp32_realtime", "src_fp16_dst_fp16",
        "src_fp16_dst_fp16_realtime"},
       1},
      {"fp16, bf16 or tf32 tensor", {"src_fp16_bf16_tf32_dst_fp32"}, {}, 0},
      {"bf16 tensor", {"src_bf16_dst_fp32", "src_bf16_dst_fp32_realtime"}, {}, 1},
      {"tf32 tensor", {"src_tf32_dst_fp32", "src_tf32_dst_fp32_realtime"}, {}, 0.5},
      {"fp8 tensor",
       {"src_fp8"},
       {"src_fp8_sparsity_off", "src_fp8_dst_fp16", "src_fp8_dst_fp32"},
       2},
      {"fp4, fp6 or fp8 tensor",
       {},
       {"src_fp4_fp6_fp8_dst_fp16_realtime", "src_fp4_fp6_fp8_dst_fp32_realtime"},
       0},
      {"int8 tensor",
       {"src_int8", "src_int8_realtime"},
       {"op_igmma_src_int8", "op_imma_src_int8"},
       2},
      {"fp64 tensor", {"src_fp64"}, {}, 0},
  };
  return kinds;
}

constexpr const char* kFp16Peaks[] = {"op_hgmma_src_fp16", "src_fp16_dst_fp32",
                                      "src_bf16_dst_fp32"};

std::string TensorMetric(const char* path) {
  return std::string("sm__ops_path_tensor_") + path + ".sum";
}

std::optional<double> PerCycle(const Metrics& metrics, const model::Device* device,
                               const std::string& counter) {
  const std::string name = counter + ".peak_sustained";
  if (const std::optional<double> read = MedianIn(metrics, name); read && *read > 0) return read;
  if (device == nullptr) return std::nullopt;
  const auto it = device->peaks.find(name);
  if (it == device->peaks.end() || !(it->second > 0)) return std::nullopt;
  return it->second;
}

// Additions and multiplications per cycle of the device.
class Peaks {
 public:
  Peaks(const Metrics& metrics, const model::Device* device) : metrics_(metrics), device_(device) {}

  std::optional<double> OfThreads(const ThreadKind& kind) const {
    const auto fma =
        PerCycle(metrics_, device_, kPrefix + std::string(1, kind.type) + "fma" + kSuffix);
    return fma ? std::optional<double>(*fma * 2 * kind.lanes) : std::nullopt;
  }

  std::optional<double> OfTensor(const TensorKind& kind) const {
    if (kind.over_fp16 == 1) return Fp16Tensor();
    if (DensePerSm() == 0) return std::nullopt;  // the ratios differ from chip to chip
    if (std::string_view(kind.kind) == "fp64 tensor") {
      const auto fp64 = OfThreads(kThreadKinds[1]);
      return fp64 ? std::optional<double>(2 * *fp64) : std::nullopt;
    }
    const auto fp16 = Fp16Tensor();
    return fp16 && kind.over_fp16 > 0 ? std::optional<double>(*fp16 * kind.over_fp16)
                                      : std::nullopt;
  }

 private:
  // Dense fp16 operations per cycle and SM by NVIDIA's data sheets; 0: of another chip. On GH100
  // CUPTI's peak is that of sparse matrices, 8,192. A dense GEMM of 2,048 x 14,336 x 4,096 on an
  // H200 took 319 us at 1.543 GHz with the tensor pipe active for 90.3 %: 4,096 at 100 %.
  double DensePerSm() const {
    if (device_ == nullptr) return 0;
    return device_->chip == "GH100" ? 4096 : device_->chip == "GA100" ? 2048 : 0;
  }

  std::optional<double> Fp16Tensor() const {
    for (const char* path : kFp16Peaks) {
      const auto peak = PerCycle(metrics_, device_, TensorMetric(path));
      if (!peak) continue;
      const double dense = DensePerSm() * (device_ == nullptr ? 0 : device_->sm_count);
      return dense > 0 ? std::min(*peak, dense) : *peak;
    }
    return std::nullopt;
  }

  const Metrics& metrics_;
  const model::Device* device_;
};

std::optional<double> CountThreads(const Metrics& metrics, const ThreadKind& kind) {
  const auto count = [&](const char* op) {
    return MedianIn(metrics, std::string(kPrefix) + kind.type + op + kSuffix);
  };
  const auto add = count("add"), mul = count("mul"), fma = count("fma");
  if (!add && !mul && !fma) return std::nullopt;
  return kind.lanes * (add.value_or(0) + mul.value_or(0) + 2 * fma.value_or(0));
}

std::optional<double> CountTensor(const Metrics& metrics, const TensorKind& kind) {
  for (const char* path : kind.all) {
    if (const auto all = MedianIn(metrics, TensorMetric(path))) return all;
  }
  std::optional<double> sum;
  for (const char* path : kind.parts) {
    if (const auto part = MedianIn(metrics, TensorMetric(path))) sum = sum.value_or(0) + *part;
  }
  return sum;
}

double SampledClock(const Measured& counters, const model::Device* device) {
  const double highest_hz = device == nullptr ? 0 : 1e3 * device->sm_clock_khz;
  return counters.Metric(format::kSmClockMetric).value_or(highest_hz);
}

double OrZero(const Statistic& value) { return value.n > 0 ? value.median : 0; }

// The two times of a launch, each with its SM clock; 0: not known.
struct LaunchTimes {
  double run_ns = 0, run_hz = 0;
  double sampled_ns = 0, sampled_hz = 0;
  bool run_clock_known = false;  // false: run_hz is that of the samples
};

LaunchTimes FindTimes(const Measured& counters, const Statistic& duration_ns,
                      const model::Device* device) {
  LaunchTimes times;
  times.run_ns =
      duration_ns.n > 0 ? duration_ns.median : counters.Metric(format::kWindowMetric).value_or(0);
  times.run_hz = SmClockOfRun(counters, device);
  times.run_clock_known = counters.clock.run_hz.n > 0;
  times.sampled_ns = OrZero(counters.clock.sampled_ns);
  times.sampled_hz = SampledClock(counters, device);
  return times;
}

bool IsAbove(const std::optional<double>& rate, const std::optional<double>& peak) {
  return rate && peak && *rate > *peak * kPeakTolerance;
}

std::optional<double> PerSecond(double count, double time_ns) {
  return time_ns > 0 ? std::optional<double>(count / (time_ns * 1e-9)) : std::nullopt;
}

std::optional<double> AtClock(const std::optional<double>& per_cycle, double hz) {
  return per_cycle && hz > 0 ? std::optional<double>(*per_cycle * hz) : std::nullopt;
}

std::optional<double> Ratio(const std::optional<double>& rate, const std::optional<double>& peak) {
  return rate && peak ? std::optional<double>(*rate / *peak) : std::nullopt;
}

// Sets the rates; a sentence when one was left out.
std::string SetRates(const LaunchTimes& times, const std::optional<double>& peak_per_cycle,
                     FlopCount* entry) {
  entry->peak_per_s = AtClock(peak_per_cycle, times.run_hz);
  entry->per_s = PerSecond(entry->per_launch, times.run_ns);
  entry->sampled_per_s = PerSecond(entry->per_launch, times.sampled_ns);
  if (entry->sampled_per_s) entry->sampled_peak_per_s = AtClock(peak_per_cycle, times.sampled_hz);
  if (IsAbove(entry->sampled_per_s, entry->sampled_peak_per_s)) entry->sampled_per_s.reset();
  entry->of_peak = times.run_clock_known || !entry->sampled_per_s
                       ? Ratio(entry->per_s, entry->peak_per_s)
                       : Ratio(entry->sampled_per_s, entry->sampled_peak_per_s);
  if (!IsAbove(entry->per_s, entry->peak_per_s)) return "";
  std::string note = AbovePeak(entry->kind + " operations", *entry->per_s, *entry->peak_per_s);
  entry->per_s.reset();
  if (!entry->sampled_per_s) entry->of_peak.reset();
  return note;
}

}  // namespace

double SmClockOfRun(const Measured& counters, const model::Device* device) {
  return counters.clock.run_hz.n > 0 ? counters.clock.run_hz.median
                                     : SampledClock(counters, device);
}

CountedFlops CountFlops(const Measured& counters, const Statistic& duration_ns,
                        const model::Device* device) {
  CountedFlops flops;
  const Metrics& metrics = counters.metrics;
  const LaunchTimes times = FindTimes(counters, duration_ns, device);
  const auto add = [&](const char* kind, const std::optional<double>& count,
                       const std::optional<double>& peak_per_cycle) {
    if (!count) return;
    FlopCount& entry = flops.kinds.emplace_back();
    entry.kind = kind;
    entry.per_launch = *count;
    std::string note = SetRates(times, peak_per_cycle, &entry);
    if (!note.empty()) flops.notes.push_back(std::move(note));
  };
  const Peaks peaks(metrics, device);
  for (const ThreadKind& kind : kThreadKinds) {
    add(kind.kind, CountThreads(metrics, kind), peaks.OfThreads(kind));
  }
  for (const TensorKind& kind : TensorKinds()) {
    add(kind.kind, CountTensor(metrics, kind), peaks.OfTensor(kind));
  }
  std::stable_sort(
      flops.kinds.begin(), flops.kinds.end(),
      [](const FlopCount& a, const FlopCount& b) { return a.per_launch > b.per_launch; });
  return flops;
}

}  // namespace prof::analyzer
