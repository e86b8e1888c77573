// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/run_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/compare/base/sample.h"
#include "lib/compare/limit.h"
#include "lib/compare/program.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"
#include "prof/compare.h"

namespace prof {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kFewestForNoise = 3;
constexpr const char* kCycles = "sm__cycles_elapsed.max";
// All but what is prof's.
constexpr GapCause kIdleCauses[] = {GapCause::kSync,     GapCause::kLaunch,   GapCause::kLoading,
                                    GapCause::kHostWork, GapCause::kTransfer, GapCause::kDependency,
                                    GapCause::kUnknown};

using compare::Values;

struct Key {
  std::string name, range;
  uint32_t device, shared;
  std::array<uint32_t, 3> grid, block;
  auto Parts() const { return std::tie(name, range, device, shared, grid, block); }
  bool operator<(const Key& other) const { return Parts() < other.Parts(); }
  bool operator==(const Key& other) const { return Parts() == other.Parts(); }
};

Key KeyOf(const KernelReport& kernel) {
  return {kernel.full_name, compare::RangeName(kernel.range),
          kernel.device,    kernel.dynamic_shared_bytes,
          kernel.grid,      kernel.block};
}

Key KeyOf(const KernelRuns& kernel) {
  return {kernel.full_name, kernel.range, kernel.device, kernel.dynamic_shared_bytes,
          kernel.grid,      kernel.block};
}

// Describes the devices that worked in a run: equal where runs can be compared.
std::string DevicesOf(const Report& report) {
  std::vector<std::string> names;
  for (const DeviceReport& device : report.devices) {
    if (!(device.busy_ns > 0)) continue;
    const std::string name = device.name.empty() ? "GPU" : device.name;
    names.push_back(name + " (" + std::to_string(device.sm_count) + " SMs)");
  }
  std::sort(names.begin(), names.end());
  return text::Join(names, ", ");
}

// Two reports of one recording, which is no second observation.
bool IsSameRecording(const Report& a, const Report& b) {
  return a.pid == b.pid && a.host == b.host && a.command == b.command && a.span_ns == b.span_ns &&
         a.totals.kernels == b.totals.kernels && a.totals.api_calls == b.totals.api_calls &&
         (a.pid != 0 || a.span_ns > 0);
}

std::string ProblemWith(const std::vector<Report>& reports) {
  if (reports.empty()) return "there is no run";
  for (size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i];
    const std::string which = "run " + std::to_string(i + 1);
    if (!report.error.empty()) return which + " cannot be read: " + report.error;
    if (DevicesOf(report) != DevicesOf(reports[0])) {
      return which + " was made on " + DevicesOf(report) + ", run 1 on " + DevicesOf(reports[0]) +
             ": the runs of one side must be of one kind";
    }
    if (report.nvidia_driver != reports[0].nvidia_driver) {
      return which + " was made with driver " + report.nvidia_driver + ", run 1 with " +
             reports[0].nvidia_driver + ": the runs of one side must be of one kind";
    }
    for (size_t j = 0; j < i; ++j) {
      if (!IsSameRecording(report, reports[j])) continue;
      return which + " and run " + std::to_string(j + 1) +
             " are the same recording: it is one observation. Record the program again";
    }
  }
  return "";
}

// The place of each kernel among those of its range and device, by its first launch.
std::map<const KernelReport*, double> Positions(const Report& report) {
  std::map<std::pair<std::string, uint32_t>, std::vector<const KernelReport*>> ranges;
  for (const KernelReport& kernel : report.kernels) {
    ranges[{compare::RangeName(kernel.range), kernel.device}].push_back(&kernel);
  }
  std::map<const KernelReport*, double> positions;
  for (auto& [range, kernels] : ranges) {
    std::stable_sort(
        kernels.begin(), kernels.end(),
        [](const KernelReport* a, const KernelReport* b) { return a->order < b->order; });
    for (size_t i = 0; i < kernels.size(); ++i) positions[kernels[i]] = static_cast<double>(i);
  }
  return positions;
}

KernelRuns Described(const KernelReport& kernel, double position, size_t runs) {
  KernelRuns entry;
  entry.name = kernel.name;
  entry.full_name = kernel.full_name;
  entry.range = compare::RangeName(kernel.range);
  entry.device = kernel.device;
  entry.grid = kernel.grid;
  entry.block = kernel.block;
  entry.resources_known = kernel.resources_known;
  entry.registers_per_thread = kernel.registers_per_thread;
  entry.local_bytes_per_thread = kernel.local_bytes_per_thread;
  entry.local_known = kernel.local_known;
  entry.static_shared_bytes = kernel.static_shared_bytes;
  entry.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  entry.position = position;
  for (Values* values : {&entry.time_ns, &entry.total_ns, &entry.launches, &entry.cycles}) {
    values->assign(runs, kAbsent);
  }
  return entry;
}

// What the reports say about one kernel, before it is summed up.
struct Gathered {
  KernelRuns kernel;
  std::map<std::string, Values> metrics;
  Metrics launch_metrics;                    // of the latest run
  std::vector<const KernelReport*> reports;  // of each run that has it
  Values launch_noise;
  std::vector<Modes> modes;
  int64_t timed_runs = 0;
};

void Add(const KernelReport& kernel, size_t run, Gathered* gathered) {
  KernelRuns& entry = gathered->kernel;
  gathered->reports.push_back(&kernel);
  if (kernel.duration_ns.n > 0) {
    entry.time_ns[run] = kernel.duration_ns.median;
    ++gathered->timed_runs;
  }
  entry.total_ns[run] = kernel.total_ns;
  entry.launches[run] = static_cast<double>(kernel.launches);
  gathered->launch_noise.push_back(compare::LaunchNoise(kernel.duration_quantiles_ns,
                                                        static_cast<double>(kernel.duration_ns.n)));
  const auto modes = compare::FindModes(kernel.duration_quantiles_ns);
  if (modes) gathered->modes.push_back(*modes);
  if (!kernel.counters_from.empty()) return;  // another signature's counters
  if (const auto cycles = kernel.Metric(kCycles)) entry.cycles[run] = *cycles;
  for (const auto& [name, statistic] : kernel.metrics) {
    if (statistic.n == 0) continue;
    gathered->metrics[name].push_back(statistic.median);
    gathered->launch_metrics[name] = statistic;
  }
}

Statistic OfRuns(const Values& values) {
  Statistic statistic;
  statistic.n = static_cast<int64_t>(values.size());
  statistic.median = compare::Median(values);
  statistic.min = *std::min_element(values.begin(), values.end());
  statistic.max = *std::max_element(values.begin(), values.end());
  for (const double value : values) statistic.sum += value;
  return statistic;
}

Modes MiddleOf(const std::vector<Modes>& all) {
  Values low, high, share;
  for (const Modes& modes : all) {
    low.push_back(modes.low);
    high.push_back(modes.high);
    share.push_back(modes.share_of_high);
  }
  return {compare::Median(low), compare::Median(high), compare::Median(share)};
}

KernelRuns SummedUp(Gathered gathered) {
  KernelRuns& kernel = gathered.kernel;
  kernel.limit = compare::LimitOf(gathered.reports);
  kernel.launch_noise = compare::Median(compare::Present(gathered.launch_noise));
  if (2 * static_cast<int64_t>(gathered.modes.size()) > gathered.timed_runs) {
    kernel.launch_modes = MiddleOf(gathered.modes);
  }
  for (const auto& [name, values] : gathered.metrics) {
    kernel.metrics[name] = OfRuns(values);
    if (values.size() == 1) kernel.launch_metrics[name] = gathered.launch_metrics[name];
  }
  return std::move(kernel);
}

std::vector<KernelRuns> CollectKernels(const std::vector<Report>& reports) {
  std::map<Key, Gathered> kernels;
  for (size_t run = 0; run < reports.size(); ++run) {
    const auto positions = Positions(reports[run]);
    for (const KernelReport& kernel : reports[run].kernels) {
      const auto [it, added] = kernels.try_emplace(KeyOf(kernel));
      if (added) {
        it->second.kernel = Described(kernel, positions.at(&kernel), reports.size());
      }
      Add(kernel, run, &it->second);
    }
  }
  std::vector<KernelRuns> result;
  result.reserve(kernels.size());
  for (auto& [key, gathered] : kernels) result.push_back(SummedUp(std::move(gathered)));
  std::stable_sort(result.begin(), result.end(), [](const KernelRuns& a, const KernelRuns& b) {
    return compare::SummaryOf(a.total_ns).sum > compare::SummaryOf(b.total_ns).sum;
  });
  return result;
}

// Quantities by kind and name; each keeps one value a run.
class Quantities {
 public:
  explicit Quantities(size_t runs) : runs_(runs) {}

  // Adds to what the run already has under that name.
  void Add(RunQuantity::Kind kind, const std::string& name, size_t run, double ns) {
    const auto [it, added] = index_.try_emplace({kind, name}, all_.size());
    if (added) {
      RunQuantity& quantity = all_.emplace_back();
      quantity.kind = kind;
      quantity.name = name;
      quantity.values_ns.assign(runs_, kAbsent);
    }
    double& value = all_[it->second].values_ns[run];
    value = std::isfinite(value) ? value + ns : ns;
  }

  std::vector<RunQuantity> Take() { return std::move(all_); }

 private:
  size_t runs_;
  std::map<std::pair<RunQuantity::Kind, std::string>, size_t> index_;
  std::vector<RunQuantity> all_;
};

std::vector<RunQuantity> CollectQuantities(const std::vector<Report>& reports) {
  using Kind = RunQuantity::Kind;
  Quantities quantities(reports.size());
  for (size_t run = 0; run < reports.size(); ++run) {
    const Report& report = reports[run];
    quantities.Add(Kind::kSpan, "span", run, report.undisturbed_ns);
    for (const DeviceReport& device : report.devices) {
      if (device.busy_ns > 0) quantities.Add(Kind::kBusy, "GPU busy", run, device.busy_ns);
    }
    // With API calls the causes of all idle time are known, and one without a gap has none of it.
    for (const GapCause cause : kIdleCauses) {
      if (report.totals.api_calls == 0) break;
      quantities.Add(Kind::kIdle, std::string("idle: ") + ToString(cause), run, 0);
    }
    for (const GapSummary& gap : report.gaps) {
      if (gap.cause == GapCause::kProfiler) continue;
      quantities.Add(Kind::kIdle, std::string("idle: ") + ToString(gap.cause), run, gap.total_ns);
    }
    for (const RangeRow& row : report.rows) {
      if (row.kind != RangeRow::Kind::kRange && row.kind != RangeRow::Kind::kOutside) continue;
      quantities.Add(Kind::kRange, compare::RangeName(row.label), run, row.time_ns);
    }
    for (const RegionReport& region : report.regions) {
      if (region.host_ns.n == 0) continue;
      const double host_ns = region.host_ns.median * static_cast<double>(region.instances);
      quantities.Add(Kind::kHost, "host: " + compare::RangeName(region.label), run, host_ns);
    }
  }
  return quantities.Take();
}

double ClockOf(const std::vector<Report>& reports) {
  Values clocks;
  for (const Report& report : reports) {
    for (const DeviceReport& device : report.devices) {
      if (device.sm_clock_hz.n > 0) clocks.push_back(device.sm_clock_hz.median);
    }
  }
  return clocks.empty() ? 0 : compare::Median(clocks);
}

// The mean over the devices that worked and have the value; 0: none has.
template <typename Function>
double OverDevices(const Report& report, const Function& value_of) {
  Values values;
  for (const DeviceReport& device : report.devices) {
    const double value = value_of(device);
    if (device.busy_ns > 0 && value > 0) values.push_back(value);
  }
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

std::vector<std::string> NotesOnReports(const std::vector<Report>& reports) {
  std::vector<std::string> notes;
  std::set<int32_t> ranks;
  std::vector<std::string> commands;
  int64_t incomplete = 0;
  for (const Report& report : reports) {
    ranks.insert(report.rank);
    commands.push_back(report.command);
    incomplete += report.incomplete.empty() ? 0 : 1;
  }
  const std::string on_commands = compare::NoteOnCommands(commands);
  if (!on_commands.empty()) notes.push_back(on_commands);
  if (ranks.size() > 1) {
    notes.emplace_back(
        "the recordings are of several ranks: ranks of one job wait for each other, so they are "
        "fewer than " +
        std::to_string(reports.size()) + " independent runs. Compare one rank of several jobs");
  }
  if (incomplete > 0) {
    notes.push_back(text::Plural(incomplete, "recording is", "recordings are") + " incomplete");
  }
  return notes;
}

double SpanOf(const RunSet& runs, size_t run) {
  for (const RunQuantity& quantity : runs.quantities) {
    if (quantity.kind == RunQuantity::Kind::kSpan) return quantity.values_ns[run];
  }
  return kAbsent;
}

// Everything that a run measured. Kernels and quantities that it does not have are left out.
using Recorded = std::map<std::pair<Key, int>, std::array<double, 3>>;

Recorded RecordedIn(const RunSet& runs, size_t run) {
  constexpr int kKernel = -1;
  Recorded recorded;
  for (const KernelRuns& kernel : runs.kernels) {
    const double launches = kernel.launches[run];
    if (!std::isfinite(launches)) continue;
    const double time = kernel.time_ns[run];
    recorded[{KeyOf(kernel), kKernel}] = {std::isfinite(time) ? time : -1, kernel.total_ns[run],
                                          launches};
  }
  for (const RunQuantity& quantity : runs.quantities) {
    const double value = quantity.values_ns[run];
    if (!std::isfinite(value)) continue;
    Key key{};
    key.name = quantity.name;
    recorded[{key, static_cast<int>(quantity.kind)}] = {value, 0, 0};
  }
  return recorded;
}

template <typename Quantity>
void SetOwnNoise(const Values& values, Quantity* quantity) {
  const Values present = compare::Present(values);
  if (static_cast<int64_t>(present.size()) < kFewestForNoise) return;
  quantity->noise = compare::LogSpread(present);
  quantity->noise_runs = static_cast<int64_t>(present.size());
}

// Of (value, weight); 1 where nothing has a weight.
double WeightedMedian(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double all = 0, below = 0;
  for (const auto& [value, weight] : values) all += weight;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (below > all / 2) return value;
  }
  return 1;
}

}  // namespace

std::string compare::RangeName(const std::string& label) {
  const size_t at = label.rfind(" (");
  const bool is_count = at != std::string::npos &&
                        (text::EndsWith(label, " ranges)") || text::EndsWith(label, " instances)"));
  return is_count ? label.substr(0, at) : label;
}

compare::SharedRuns compare::FindSharedRuns(const RunSet& before, const RunSet& after) {
  SharedRuns shared;
  if (before.devices != after.devices || before.driver != after.driver) return shared;
  std::multimap<double, size_t> spans;  // most runs differ by their spans alone
  for (size_t run = 0; run < static_cast<size_t>(before.runs); ++run) {
    const double span_ns = SpanOf(before, run);
    if (span_ns > 0) spans.emplace(span_ns, run);
  }
  std::set<size_t> found;
  for (size_t run = 0; run < static_cast<size_t>(after.runs); ++run) {
    const double span_ns = SpanOf(after, run);
    if (spans.empty() || !(span_ns > 0)) continue;
    const auto [first, last] = spans.equal_range(span_ns);
    if (first == last) continue;
    const Recorded recorded = RecordedIn(after, run);
    const auto same = std::find_if(
        first, last, [&](const auto& span) { return RecordedIn(before, span.second) == recorded; });
    if (same == last) continue;
    ++shared.after;
    found.insert(same->second);
  }
  shared.before = static_cast<int64_t>(found.size());
  return shared;
}

RunOrder compare::OrderOf(const RunSet& before, const RunSet& after) {
  const auto are_known = [](const std::vector<int64_t>& times_ns) {
    return times_ns.size() > 1 && *std::min_element(times_ns.begin(), times_ns.end()) > 0;
  };
  if (!are_known(before.start_ns) || !are_known(after.start_ns)) return RunOrder::kUnknown;
  const auto [first_before, last_before] =
      std::minmax_element(before.start_ns.begin(), before.start_ns.end());
  const auto [first_after, last_after] =
      std::minmax_element(after.start_ns.begin(), after.start_ns.end());
  if (*last_before < *first_after) return RunOrder::kBeforeFirst;
  return *last_after < *first_before ? RunOrder::kAfterFirst : RunOrder::kInterleaved;
}

std::vector<double> compare::WorkOf(const std::vector<const KernelRuns*>& kernels,
                                    const std::vector<const KernelRuns*>& reference, int64_t runs) {
  Values work;
  for (int64_t run = 0; run < runs; ++run) {
    std::vector<std::pair<double, double>> ratios;  // with the time of the kernel
    for (size_t i = 0; i < kernels.size(); ++i) {
      const double launches = kernels[i]->launches[static_cast<size_t>(run)];
      const double median = SummaryOf(reference[i]->launches).median;
      const double weight = SummaryOf(reference[i]->total_ns).median;
      if (launches > 0 && median > 0 && weight > 0) ratios.emplace_back(launches / median, weight);
    }
    work.push_back(WeightedMedian(std::move(ratios)));
  }
  return work;
}

std::vector<double> compare::OwnWork(const RunSet& runs) {
  std::vector<const KernelRuns*> all;
  for (const KernelRuns& kernel : runs.kernels) all.push_back(&kernel);
  return WorkOf(all, all, runs.runs);
}

std::vector<double> compare::PerWork(std::vector<double> values, const std::vector<double>& work) {
  for (size_t run = 0; run < values.size(); ++run) values[run] /= work[run];
  return values;
}

const char* ToString(RunQuantity::Kind kind) {
  switch (kind) {
    case RunQuantity::Kind::kSpan:
      return "span";
    case RunQuantity::Kind::kBusy:
      return "busy";
    case RunQuantity::Kind::kIdle:
      return "idle";
    case RunQuantity::Kind::kRange:
      return "range";
    case RunQuantity::Kind::kHost:
      return "host";
  }
  return "span";
}

RunSet Collect(const std::vector<Report>& reports) {
  RunSet set;
  set.error = ProblemWith(reports);
  if (!set.error.empty()) return set;
  set.command = reports[0].command;
  set.devices = DevicesOf(reports[0]);
  set.driver = reports[0].nvidia_driver;
  set.runs = static_cast<int64_t>(reports.size());
  for (const Report& report : reports) {
    set.counted_runs += report.totals.samples > 0 ? 1 : 0;
    set.start_ns.push_back(report.start_ns);
  }
  set.sm_clock_hz = ClockOf(reports);
  set.sm_count = OverDevices(reports[0], [](const DeviceReport& d) { return d.sm_count; });
  set.dram_peak_bytes_per_s = OverDevices(
      reports[0], [](const DeviceReport& d) { return d.dram_peak_bytes_per_s.value_or(0); });
  set.kernels = CollectKernels(reports);
  set.quantities = CollectQuantities(reports);
  set.notes = NotesOnReports(reports);
  return set;
}

void SetNoise(RunSet* runs) {
  for (KernelRuns& kernel : runs->kernels) SetOwnNoise(kernel.time_ns, &kernel);
  const Values work = compare::OwnWork(*runs);
  for (RunQuantity& quantity : runs->quantities) {
    SetOwnNoise(compare::PerWork(quantity.values_ns, work), &quantity);
  }
}

}  // namespace prof
