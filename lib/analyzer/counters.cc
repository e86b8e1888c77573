// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "lib/analyzer/statistics.h"
#include "lib/analyzer/throughput.h"
#include "lib/analyzer/units.h"
#include "lib/analyzer/window.h"

namespace prof::analyzer {
namespace {

using model::CounterSample;
using model::kNoIndex;
using model::Model;

constexpr std::string_view kSmClock = "gpc__cycles_elapsed.avg.per_second";
constexpr std::string_view kWarpsActive = "sm__warps_active.avg.pct_of_peak_sustained_active";

// A sample at another clock is a sample of another machine.
constexpr double kMaxClockDeviation = 0.03;
// Nothing runs above its peak, and no part is larger than its whole; the rest is rounding.
constexpr double kMaxPercent = 100.5;

// Operations that ran alone on their device, parallel to Model::ops.
std::vector<bool> RanAlone(const Model& model) {
  struct Last {
    int32_t op = kNoIndex;
    int64_t covered_until_ns = 0;
  };
  std::vector<bool> alone(model.ops.size());
  std::unordered_map<uint32_t, Last> devices;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op& op = model.ops[i];
    if (op.untraced) alone[i] = true;  // a counter range waits for the GPU before and after it
    if (!op.timed) continue;           // they are last; nothing is known of what ran beside them
    Last& last = devices[op.device];
    alone[i] = last.op == kNoIndex || op.start_ns >= last.covered_until_ns;
    // Starts are sorted: what runs into any later operation runs into the next one.
    if (last.op != kNoIndex && op.start_ns < model.ops[last.op].end_ns) alone[last.op] = false;
    last.covered_until_ns =
        last.op == kNoIndex ? op.end_ns : std::max(last.covered_until_ns, op.end_ns);
    last.op = static_cast<int32_t>(i);
  }
  return alone;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool OfPeak(std::string_view metric) {
  return metric.find(".pct_of_peak_sustained") != metric.npos;
}

// The values of one metric; the impossible ones apart.
struct Values {
  std::vector<double> usable, impossible;
  void Add(std::string_view metric, double value) {
    if (!std::isfinite(value)) return;
    const bool percent = OfPeak(metric) || EndsWith(metric, ".pct");
    (percent && value > kMaxPercent ? impossible : usable).push_back(value);
  }
};

std::string Impossible(const std::string& metric, const Values& values) {
  const double worst = *std::max_element(values.impossible.begin(), values.impossible.end());
  const size_t all = values.impossible.size() + values.usable.size();
  return metric + " read above " + (OfPeak(metric) ? "the device's peak" : "100 %") + " (" +
         FormatFixed(worst, 1) + " %) in " + FormatCount(values.impossible.size()) + " of " +
         Plural(all, "sample", "samples") + ": not used";
}

class GroupCounters {
 public:
  explicit GroupCounters(const Model& model) : model_(model), clock_at_(model.groups.size(), -1) {
    for (size_t g = 0; g < model.groups.size(); ++g) {
      const std::vector<std::string>& metrics = model.groups[g].metrics;
      const auto it = std::find(metrics.begin(), metrics.end(), kSmClock);
      if (it != metrics.end()) clock_at_[g] = it - metrics.begin();
    }
  }

  void Fill(const std::vector<const CounterSample*>& samples, int64_t overlapped,
            KernelReport* report, std::vector<std::string>* notes) const {
    const double clock_hz = MedianClock(samples);
    report->samples_rejected = overlapped;
    std::map<std::string, Values, std::less<>> values;
    std::set<uint32_t> read_groups;
    for (const CounterSample* sample : samples) {
      const double clock = Clock(*sample);
      if (std::abs(clock - clock_hz) > kMaxClockDeviation * clock_hz) {
        ++report->samples_rejected;
        continue;
      }
      ++report->samples_used;
      const model::PassGroup& group = model_.groups[sample->group];
      read_groups.insert(sample->group);
      const std::vector<std::string>& metrics = group.metrics;
      const double window = WindowOverKernel(*sample, group, model_.ops[sample->op]);
      for (size_t i = 0; i < metrics.size(); ++i) {
        values[metrics[i]].Add(metrics[i], AtKernelTime(metrics[i], sample->values[i], window));
      }
    }
    for (auto& [metric, read] : values) {
      if (!read.impossible.empty()) notes->push_back(Impossible(metric, read));
      if (read.usable.empty()) continue;
      report->metrics.emplace(metric, Summarize(read.usable.begin(), read.usable.end()));
    }
    if (const std::optional<double> percent = report->Metric(kWarpsActive)) {
      report->occupancy.achieved = *percent / 100;
    }
    std::vector<const model::Throughput*> throughputs;
    for (const uint32_t group : read_groups) {
      for (const model::Throughput& entry : model_.groups[group].throughputs) {
        throughputs.push_back(&entry);
      }
    }
    report->speed_of_light = FindSpeedOfLight(throughputs, *report);
  }

 private:
  // NaN when the sample's pass does not hold the clock: comparisons with it are false.
  double Clock(const CounterSample& sample) const {
    const ptrdiff_t at = clock_at_[sample.group];
    return at < 0 ? std::nan("") : sample.values[static_cast<size_t>(at)];
  }
  double MedianClock(const std::vector<const CounterSample*>& samples) const {
    std::vector<double> clocks;
    for (const CounterSample* sample : samples) {
      if (std::isfinite(Clock(*sample))) clocks.push_back(Clock(*sample));
    }
    return Summarize(clocks.begin(), clocks.end()).median;
  }

  const Model& model_;
  std::vector<ptrdiff_t> clock_at_;  // by pass group: which of its metrics is the SM clock
};

}  // namespace

CounterNotes AddCounters(const Model& model, KernelGroups* groups) {
  CounterNotes notes;
  notes.of_group.resize(groups->groups.size());
  if (model.samples.empty()) return notes;
  const std::vector<bool> alone = RanAlone(model);
  std::vector<std::vector<const CounterSample*>> samples(groups->groups.size());
  std::vector<int64_t> overlapped(groups->groups.size());
  for (const CounterSample& sample : model.samples) {
    if (sample.unit != model::SampleUnit::kKernel) continue;  // not of one kernel, nor meant to be
    if (sample.op == kNoIndex) {
      ++notes.without_kernel;
      continue;
    }
    const int32_t group = groups->group_of_op[sample.op];
    if (alone[sample.op]) {
      samples[group].push_back(&sample);
    } else {
      ++overlapped[group];
    }
  }
  const GroupCounters counters(model);
  for (size_t g = 0; g < samples.size(); ++g) {
    counters.Fill(samples[g], overlapped[g], &groups->groups[g].report, &notes.of_group[g]);
  }
  return notes;
}

}  // namespace prof::analyzer
