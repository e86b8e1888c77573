// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/continuous/pm_program.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lib/format/triage_metrics.h"

namespace prof::test {
namespace {

using Order = ProgramOptions::Order;

constexpr size_t kMetrics = std::size(format::kTriageMetrics);

// What a launch does in [from, until) of its time, all in ns, before it is scaled to its mean rate.
double DoneNs(const ProgramKernel& kernel, double length, double from, double until) {
  const double busy_from = static_cast<double>(kernel.ramp_ns);
  const double busy_until = length - static_cast<double>(kernel.tail_ns);
  const double middle = (busy_from + busy_until) / 2;
  const double fall = busy_from + kernel.falls_at * (busy_until - busy_from);
  const double cuts[] = {busy_from, std::min(middle, fall), std::max(middle, fall), busy_until};
  double done = 0;
  for (int i = 0; i < 3; ++i) {
    const double within = std::min(cuts[i + 1], until) - std::max(cuts[i], from);
    const double half = cuts[i] < middle ? 1 + kernel.front : 1 - kernel.front;
    done += std::max(0.0, within) * half * (cuts[i] < fall ? 1 : kernel.left);
  }
  return done;
}

// Work of [from, until) of a launch, as ns of its mean rate.
double WorkNs(const ProgramKernel& kernel, int64_t start_ns, int64_t end_ns, int64_t from,
              int64_t until) {
  const auto length = static_cast<double>(end_ns - start_ns);
  return DoneNs(kernel, length, static_cast<double>(from - start_ns),
                static_cast<double>(until - start_ns)) *
         length / DoneNs(kernel, length, 0, length);
}

}  // namespace

PmProgram::PmProgram(uint32_t seed, size_t kernels, int64_t samples, Density density)
    : random_(seed) {
  options_.sparse = density == Density::kSparse;
  model_.stopped_in_order = true;
  DrawKernels(kernels, samples);
  Run();
  Sample();
}

double PmProgram::Uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random_);
}

double PmProgram::Normal(double deviation) {
  return std::normal_distribution<double>(0, 1)(random_) * deviation;
}

double PmProgram::Truth(size_t kernel, size_t metric) const {
  return kernels_[kernel].rates[metric] * factors_[kernel] / counts_[kernel];
}

void PmProgram::DrawKernels(size_t count, int64_t samples) {
  options_.order = static_cast<Order>(random_() % 3);
  const double longest = options_.sparse ? 60e3 : Uniform(0, 1) < 0.5 ? 100e3 : 5e6;
  if (count == 0) {
    const double most = options_.sparse ? 120 : 30;
    count = static_cast<size_t>(std::llround(std::exp(Uniform(std::log(2), std::log(most)))));
  }
  for (size_t k = 0; k < count; ++k) {
    ProgramKernel& kernel = kernels_.emplace_back();
    kernel.name = "k" + std::to_string(k);
    kernel.duration_ns = std::llround(std::exp(Uniform(std::log(2e3), std::log(longest))));
    const double most = static_cast<double>(kernel.duration_ns) / 4;
    kernel.ramp_ns = std::llround(std::min(most, Uniform(0, 2000)));
    kernel.tail_ns = std::llround(std::min(most, Uniform(0, 2500)));
    kernel.front = Uniform(0, 1) < 0.3 ? Uniform(-0.2, 0.2) : 0;
    kernel.varies = Uniform(0, 0.02);
    if (kernel.duration_ns > 100'000 && Uniform(0, 1) < 0.4) {
      kernel.falls_at = Uniform(0.2, 0.9);
      kernel.left = Uniform(0, 0.5);
    }
    // As much as leaves the busiest part of a launch at 100 %.
    const auto length = static_cast<double>(kernel.duration_ns);
    const double room =
        DoneNs(kernel, length, 0, length) / length / (1 + std::abs(kernel.front)) / 1.05;
    const size_t leader = random_() % 11;
    for (size_t m = 0; m < kMetrics; ++m) {
      const double rate = m == leader ? Uniform(40, 97) : Uniform(0, 1) < 0.4 ? 0 : Uniform(0, 50);
      kernel.rates.push_back(rate * room);
    }
  }
  double mean_ns = 0;
  for (const ProgramKernel& kernel : kernels_) mean_ns += static_cast<double>(kernel.duration_ns);
  mean_ns /= static_cast<double>(count);
  options_.interval_ns = mean_ns < 30e3 ? 5'000 : mean_ns < 200e3 ? 10'000 : 50'000;
  options_.burst_ns = options_.interval_ns * (random_() % 2 == 0 ? 1000 : 200);
  if (longest > 100e3 && Uniform(0, 1) < 0.5) {  // a burst is as long as a launch
    options_.interval_ns = 5'000;
    options_.burst_ns = 128 * options_.interval_ns;
  }
  options_.period_ns = options_.burst_ns * (4 + random_() % 20);
  const int64_t in_burst = options_.burst_ns / options_.interval_ns;
  options_.length_ns = options_.period_ns * (samples > 0 ? samples / in_burst : 4 + random_() % 20);
  options_.clock_offset_ns = -1000 + Normal(300);
  options_.noise = Uniform(0.1, 1);
  options_.relative_noise = Uniform(0, 0.03);
  options_.beside = Uniform(0, 1) < 0.2 ? 0.05 : 0;
  if (options_.sparse) MakeSparse();
}

// The host is slower than the GPU: kernels follow each other at a distance. A sample may hold all
// of a launch, and few bursts are taken.
void PmProgram::MakeSparse() {
  constexpr int64_t kIntervalsNs[] = {10'000, 20'000, 50'000};
  options_.interval_ns = kIntervalsNs[random_() % std::size(kIntervalsNs)];
  options_.burst_ns = 70 * options_.interval_ns;
  options_.gap_ns = Uniform(10e3, 150e3);
  options_.period_ns = std::llround(Uniform(20e6, 60e6));
  options_.length_ns = options_.period_ns * std::llround(Uniform(10, 50));
  options_.beside = 0;
}

void PmProgram::Launch(size_t kernel, uint32_t stream, int64_t* time_ns) {
  const ProgramKernel& k = kernels_[kernel];
  const auto length_ns = static_cast<double>(k.duration_ns);
  const auto duration_ns = std::llround(length_ns * (1 + Normal(0.01)));
  const Launched launched{kernel, *time_ns, *time_ns + duration_ns, 1 + Normal(k.varies)};
  launches_.push_back(launched);
  factors_[kernel] += launched.factor * static_cast<double>(duration_ns);
  counts_[kernel] += static_cast<double>(duration_ns);
  model::Op op;
  op.stream = stream;
  op.shape = static_cast<uint32_t>(kernel + 1);
  op.start_ns = launched.start_ns;
  op.end_ns = launched.end_ns;
  model_.ops.push_back(op);
  *time_ns = launched.end_ns;
}

void PmProgram::Run() {
  factors_.resize(kernels_.size());
  counts_.resize(kernels_.size());
  for (const ProgramKernel& kernel : kernels_) {
    model::Shape shape;
    shape.name = kernel.name;
    shape.grid = {4096, 1, 1};
    shape.block = {256, 1, 1};
    model_.shapes.push_back(shape);
  }
  if (!options_.sparse) options_.gap_ns = Uniform(500, 6000);
  int64_t time_ns = 100'000;
  for (size_t i = 0; time_ns < options_.length_ns; ++i) {
    size_t kernel = i % kernels_.size();
    if (options_.order == Order::kRandom) kernel = random_() % kernels_.size();
    if (options_.order == Order::kPhases) {
      kernel =
          static_cast<size_t>(time_ns) * kernels_.size() / static_cast<size_t>(options_.length_ns);
    }
    const int64_t start_ns = time_ns;
    Launch(kernel, 7, &time_ns);
    if (options_.beside > 0 && Uniform(0, 1) < options_.beside) {
      int64_t other_ns = start_ns + (time_ns - start_ns) / 3;
      Launch(random_() % kernels_.size(), 8, &other_ns);
      time_ns = std::max(time_ns, other_ns);
    }
    // Some of a sparse program's kernels follow each other at once.
    const bool at_once = options_.sparse && random_() % 4 == 0;
    time_ns += std::llround(Uniform(0.7, 1.3) * (at_once ? 1'000 : options_.gap_ns));
  }
  for (size_t k = 0; k < counts_.size(); ++k) counts_[k] = std::max(counts_[k], 1.0);
  model_.ops.Sort();
}

void PmProgram::Sample() {
  model::PmSeries series;
  series.interval_ns = options_.interval_ns;
  for (const format::TriageMetric& metric : format::kTriageMetrics) {
    series.metrics.push_back(std::string(metric.names[0]) + std::string(format::kTriageSuffix));
    series.scales.push_back(0.05);
  }
  std::sort(launches_.begin(), launches_.end(),
            [](const Launched& a, const Launched& b) { return a.start_ns < b.start_ns; });
  constexpr int64_t kLongestNs = 6'000'000;
  size_t first = 0;
  const auto offset_ns = std::llround(options_.clock_offset_ns);
  for (int64_t burst_ns = 0; burst_ns < options_.length_ns; burst_ns += options_.period_ns) {
    for (int64_t at = burst_ns; at < burst_ns + options_.burst_ns; at += options_.interval_ns) {
      const int64_t until = at + options_.interval_ns;
      std::vector<double> sums(kMetrics);
      while (first < launches_.size() && launches_[first].start_ns < at - kLongestNs) ++first;
      for (size_t i = first; i < launches_.size() && launches_[i].start_ns < until; ++i) {
        const Launched& run = launches_[i];
        const ProgramKernel& kernel = kernels_[run.kernel];
        const double work = WorkNs(kernel, run.start_ns, run.end_ns, at, until) * run.factor;
        if (work <= 0) continue;
        for (size_t m = 0; m < kMetrics; ++m) sums[m] += kernel.rates[m] * work;
      }
      series.begin_ns.push_back(at + offset_ns);
      series.end_ns.push_back(until + offset_ns);
      series.samples.push_back(1);
      for (const double sum : sums) {
        double value = sum / static_cast<double>(options_.interval_ns);
        if (value > 0) value += Normal(options_.noise) + Normal(options_.relative_noise * value);
        series.values.push_back(
            static_cast<float>(0.05 * std::round(std::clamp(value, 0.0, 100.0) / 0.05)));
      }
    }
  }
  model_.pm_series.push_back(std::move(series));
}

}  // namespace prof::test
