// SPDX-License-Identifier: Apache-2.0
#include "test/compare/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/analyzer/base/statistics.h"
#include "lib/snapshot/read/reader.h"

namespace prof::test {
namespace {

constexpr size_t kBlock = 10;  // consecutive launches that are drawn together

std::vector<double> QuantilesOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<double> quantiles;
  for (int q = 0; q < kDurationQuantiles; ++q) {
    const size_t last = values.size() - 1;
    quantiles.push_back(values[last * static_cast<size_t>(q) / (kDurationQuantiles - 1)]);
  }
  return quantiles;
}

bool IsEffect(const Compared& c) {
  return c.tested && (c.change == Change::kSlower || c.change == Change::kFaster);
}

}  // namespace

std::vector<RecordedKernel> LaunchesIn(const std::string& recording, size_t least) {
  const absl::StatusOr<model::Model> model = ReadSnapshot(Snapshot::FromFile(recording));
  if (!model.ok()) return {};
  std::map<std::pair<uint32_t, uint32_t>, std::vector<double>> by_kernel;  // shape and path
  for (const model::Op& op : model->ops) {
    if (op.kind != model::OpKind::kKernel || !op.timed || op.sampled) continue;
    by_kernel[{op.shape, op.path}].push_back(static_cast<double>(op.end_ns - op.start_ns));
  }
  std::vector<RecordedKernel> kernels;
  for (auto& [key, times_ns] : by_kernel) {
    if (times_ns.size() < least) continue;
    kernels.push_back({"kernel " + std::to_string(kernels.size()), std::move(times_ns)});
  }
  return kernels;
}

// Of 64 kernels (cuBLAS, element-wise, and kernels that use one unit each; 1 us to 6 ms), three
// recordings each, in processes of their own that were minutes to an hour apart, on NVIDIA H200
// with driver 580.159.04, clocks not locked: of the medians of all launches of a recording. Three
// values give each: its own error is large, so they spread more than the truth.
const std::vector<double>& ProcessNoise() {
  static const std::vector<double>& noise = *new std::vector<double>{
      0.0000, 0.0001, 0.0001, 0.0002, 0.0002, 0.0002, 0.0002, 0.0003, 0.0003, 0.0004, 0.0004,
      0.0005, 0.0005, 0.0006, 0.0008, 0.0009, 0.0015, 0.0017, 0.0017, 0.0017, 0.0018, 0.0025,
      0.0026, 0.0028, 0.0030, 0.0033, 0.0038, 0.0044, 0.0045, 0.0047, 0.0054, 0.0056, 0.0057,
      0.0061, 0.0061, 0.0070, 0.0070, 0.0073, 0.0076, 0.0085, 0.0087, 0.0087, 0.0090, 0.0091,
      0.0091, 0.0092, 0.0092, 0.0092, 0.0093, 0.0095, 0.0097, 0.0099, 0.0107, 0.0111, 0.0130,
      0.0133, 0.0135, 0.0144, 0.0145, 0.0159, 0.0287, 0.0518, 0.0550, 0.1556};
  return noise;
}

Simulation::Simulation(std::vector<RecordedKernel> kernels, int64_t launches, uint64_t seed)
    : kernels_(std::move(kernels)), launches_(launches), random_(seed) {}

size_t Simulation::AnyKernel() { return random_() % kernels_.size(); }

Report Simulation::DrawRun(const std::vector<double>& noise, const Planted& planted) {
  Report report;
  report.pid = next_pid_++;
  DeviceReport device;
  device.name = "GPU";
  device.sm_count = 132;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    const RecordedKernel& recorded = kernels_[k];
    const auto count = std::min(static_cast<size_t>(launches_), recorded.times_ns.size());
    std::normal_distribution<double> process(0, noise[k]);
    const double factor =
        std::exp(process(random_)) * (k == planted.kernel ? planted.slow_down : 1);
    std::vector<double> times_ns;
    while (times_ns.size() < count) {
      const size_t first = random_() % (recorded.times_ns.size() - kBlock + 1);
      for (size_t i = 0; i < kBlock; ++i) times_ns.push_back(recorded.times_ns[first + i] * factor);
    }
    KernelReport& kernel = report.kernels.emplace_back();
    kernel.name = kernel.full_name = recorded.name;
    kernel.order = static_cast<int>(k);
    kernel.launches = static_cast<int64_t>(times_ns.size());
    kernel.duration_quantiles_ns = QuantilesOf(times_ns);
    kernel.duration_ns = analyzer::Summarize(times_ns.begin(), times_ns.end());
    kernel.total_ns = kernel.duration_ns.sum;
    device.busy_ns += kernel.total_ns;
  }
  report.span_ns = report.undisturbed_ns = device.busy_ns;
  report.devices.push_back(device);
  return report;
}

Outcome Simulation::Draw(int runs, const Planted& planted, const CompareOptions& options) {
  std::vector<double> noise;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    noise.push_back(ProcessNoise()[random_() % ProcessNoise().size()]);
  }
  std::vector<Report> before, after;
  for (int run = 0; run < runs; ++run) {
    before.push_back(DrawRun(noise, {planted.kernel, 1}));
    after.push_back(DrawRun(noise, planted));
  }
  return {Compare(before, after, options), noise[planted.kernel]};
}

bool IsAlarm(const Comparison& comparison) {
  return std::any_of(comparison.kernels.begin(), comparison.kernels.end(),
                     [](const KernelChange& kernel) { return IsEffect(kernel.time); }) ||
         std::any_of(comparison.run.begin(), comparison.run.end(), IsEffect);
}

bool IsFound(const Comparison& comparison, const std::string& kernel) {
  return std::any_of(comparison.kernels.begin(), comparison.kernels.end(),
                     [&](const KernelChange& change) {
                       return change.name == kernel && change.time.change == Change::kSlower;
                     });
}

}  // namespace prof::test
