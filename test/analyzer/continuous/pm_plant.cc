// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/continuous/pm_plant.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "test/support/catch.h"

namespace prof::test {
namespace {

// How much of the work of a launch is done in [from, until), times of it, in ns of its mean rate.
double WorkNs(const model::Op& op, double front, int64_t from, int64_t until) {
  const int64_t middle = op.start_ns + (op.end_ns - op.start_ns) / 2;
  const auto first = static_cast<double>(std::min(until, middle) - std::min(from, middle));
  const auto second = static_cast<double>(std::max(until, middle) - std::max(from, middle));
  return (1 + front) * first + (1 - front) * second;
}

}  // namespace

uint32_t PmPlant::Kernel(const PlantedKernel& kernel) {
  kernels_.push_back(kernel);
  model::Shape shape;
  shape.name = kernel.name;
  shape.grid = shape.block = {128, 1, 1};
  model_.shapes.push_back(shape);
  return static_cast<uint32_t>(model_.shapes.size() - 1);
}

uint32_t PmPlant::Path(const std::string& name) {
  model_.paths.push_back({0, name, "", name});
  return static_cast<uint32_t>(model_.paths.size() - 1);
}

int64_t PmPlant::Run(uint32_t shape, int64_t start_ns, int64_t duration_ns, uint32_t path,
                     uint32_t stream, uint32_t device) {
  model::Op op;
  op.device = device;
  op.stream = stream;
  op.shape = shape;
  op.path = path;
  op.start_ns = start_ns;
  op.end_ns = start_ns + duration_ns;
  model_.ops.push_back(op);
  return op.end_ns;
}

void PmPlant::Loop(const std::vector<uint32_t>& shapes, int64_t start_ns, int64_t end_ns,
                   int64_t gap_ns, const PlantOptions& options, uint32_t path) {
  for (int64_t time_ns = start_ns; time_ns < end_ns;) {
    for (const uint32_t shape : shapes) {
      const double length = static_cast<double>(planted(shape).duration_ns);
      const auto duration_ns = std::llround(std::max(1.0, length + Jitter(options.jitter_ns)));
      time_ns = Run(shape, time_ns, duration_ns, path, 7, options.device);
      time_ns += std::max<int64_t>(0, gap_ns + std::llround(Jitter(options.jitter_ns)));
    }
  }
}

void PmPlant::Sample(int64_t start_ns, int64_t end_ns, const PlantOptions& options) {
  const size_t metrics = kernels_.empty() ? 0 : kernels_[0].rates.size();
  model::PmSeries series;
  series.device = options.device;
  series.interval_ns = options.interval_ns;
  for (size_t m = 0; m < metrics; ++m) {
    series.metrics.push_back("m" + std::to_string(m) + ".pct");
    series.scales.push_back(0.05);
  }
  const auto rows = static_cast<size_t>((end_ns - start_ns) / options.interval_ns);
  std::vector<double> work(rows * metrics);  // percent * ns
  for (const model::Op& op : model_.ops) {
    if (op.device != options.device) continue;
    const PlantedKernel& kernel = planted(op.shape);
    for (int64_t at = std::max(op.start_ns, start_ns); at < op.end_ns;) {
      const auto row = static_cast<size_t>((at - start_ns) / options.interval_ns);
      if (row >= rows) break;
      const int64_t until =
          std::min(op.end_ns, start_ns + (static_cast<int64_t>(row) + 1) * options.interval_ns);
      for (size_t m = 0; m < metrics; ++m) {
        work[row * metrics + m] += kernel.rates[m] * WorkNs(op, kernel.front, at, until);
      }
      at = until;
    }
  }
  for (size_t row = 0; row < rows; ++row) {
    const auto drift = static_cast<double>(options.clock_drift_ns) * static_cast<double>(row) /
                       static_cast<double>(rows);
    series.begin_ns.push_back(start_ns + static_cast<int64_t>(row) * options.interval_ns +
                              options.clock_offset_ns + std::llround(drift));
    series.samples.push_back(1);
    for (size_t m = 0; m < metrics; ++m) {
      const double mean = work[row * metrics + m] / static_cast<double>(options.interval_ns) +
                          Jitter(options.noise);
      series.values.push_back(static_cast<float>(0.05 * std::round(mean / 0.05)));
    }
  }
  for (size_t row = 0; row < rows; ++row) {
    series.end_ns.push_back(row + 1 < rows ? series.begin_ns[row + 1]
                                           : series.begin_ns[row] + options.interval_ns);
  }
  model_.pm_series.push_back(series);
}

void PmPlant::Forget(uint32_t stream) {
  model::OpTable kept;
  for (const model::Op& op : model_.ops) {
    if (op.stream != stream) kept.push_back(op);
  }
  model_.ops = std::move(kept);
}

PmPlant::Answer PmPlant::Attribute() {
  model_.ops.Sort();
  const analyzer::RangeFamilies families = analyzer::FindRangeFamilies(model_);
  const analyzer::Timeline timeline = analyzer::BuildTimeline(model_);
  Answer answer;
  answer.groups = analyzer::GroupKernels(model_, families);
  answer.continuous = analyzer::AttributeContinuous(model_, families, timeline, answer.groups);
  return answer;
}

const ContinuousValue& PmPlant::Answer::Of(const std::string& name, const std::string& metric,
                                           uint32_t device) const {
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    const analyzer::KernelGroup& group = groups.groups[g];
    if (group.launches.name != name || group.device != device) continue;
    const ContinuousValues& values = continuous.of_group[g];
    const auto found = values.find(metric);
    if (found != values.end()) return found->second;
  }
  throw std::runtime_error("no value of " + metric + " for " + name);
}

std::vector<PlantedKernel> TenKernels() {
  const int64_t durations_us[] = {5, 8, 12, 20, 25, 30, 35, 42, 50, 60};
  const double dram[] = {40, 10, 75, 91, 3, 55, 22, 80, 0, 64};
  const double tensor[] = {0, 60, 5, 2, 88, 30, 70, 0, 45, 12};
  std::vector<PlantedKernel> kernels;
  for (size_t i = 0; i < 10; ++i) {
    kernels.push_back({"k" + std::to_string(i), durations_us[i] * 1000, {dram[i], tensor[i]}});
  }
  return kernels;
}

std::vector<uint32_t> AddAll(const std::vector<PlantedKernel>& kernels, PmPlant* plant) {
  std::vector<uint32_t> shapes;
  shapes.reserve(kernels.size());
  for (const PlantedKernel& kernel : kernels) shapes.push_back(plant->Kernel(kernel));
  return shapes;
}

void CheckFound(const ContinuousValue& value, double planted, double within) {
  INFO(value.missing);
  REQUIRE(value.value);
  INFO("planted " << planted << ", found " << *value.value << " +- " << value.error);
  CHECK(std::abs(*value.value - planted) <= within);
  CHECK(std::abs(*value.value - planted) <= value.error);
  CHECK(value.seconds > 0);
  CHECK(value.samples > 0);
}

}  // namespace prof::test
