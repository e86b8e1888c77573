// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/whole_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lib/analyzer/base/kernel_names.h"
#include "lib/analyzer/continuous/pm_chance.h"
#include "lib/text/demangle.h"

namespace prof::analyzer {
namespace {

using model::Model;
using model::Op;

constexpr size_t kFewestWindows = 3;  // two have one difference, which says little of its size
// The share of the time that may be of launches in fewer windows: their error is not known.
constexpr double kMostUnbounded = 0.01;

// A kernel as a launch names it, without what only CUPTI's record has; or a graph as a whole.
using KernelKey = std::tuple<uint32_t, std::string_view, std::array<uint32_t, 3>,
                             std::array<uint32_t, 3>, uint32_t, uint32_t>;
constexpr size_t kGraphOfKey = 5;

KernelKey KeyOf(uint32_t device, const model::Shape& shape) {
  return {device, shape.name, shape.grid, shape.block, shape.dynamic_shared_bytes, 0};
}

// What is launched together: a kernel, or a graph with all that is in it.
struct Unit {
  double launches = 0;                   // counted
  std::vector<double> of_window;         // launches that were traced
  std::unordered_set<uint64_t> replays;  // of a graph: those seen so far

  [[nodiscard]] double traced() const;
  // Of which launches were traced.
  [[nodiscard]] size_t windows() const;
};

// What a kernel did in launches of one unit.
struct Part {
  const Unit* unit = nullptr;
  int64_t executions = 0;
  std::vector<double> time_ns;  // by window
};

constexpr double kMostLaunches = 1e12;  // a damaged file may have any number

int64_t Whole(double launches) { return std::llround(std::min(launches, kMostLaunches)); }

void AddTo(std::vector<double>* by_window, size_t window, double value) {
  if (by_window->size() <= window) by_window->resize(window + 1);
  (*by_window)[window] += value;
}

double At(const std::vector<double>& by_window, size_t window) {
  return window < by_window.size() ? by_window[window] : 0;
}

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double Unit::traced() const { return Sum(of_window); }

size_t Unit::windows() const {
  return of_window.size() - static_cast<size_t>(std::count(of_window.begin(), of_window.end(), 0));
}

class Estimate {
 public:
  explicit Estimate(const Model& model) : model_(model) {
    CountLaunches();
    TakeTraced();
  }

  WholeRun Finish() const;

 private:
  void CountLaunches();
  void TakeTraced();
  [[nodiscard]] WholeRunKernel Describe(const KernelKey& key) const;
  [[nodiscard]] EstimatedTime TimeOf(const std::vector<const Part*>& parts) const;
  void AddSpan(WholeRun* run) const;

  const Model& model_;
  std::map<KernelKey, Unit> kernels_;
  std::map<std::pair<uint32_t, uint32_t>, Unit> graphs_;  // by device and graph
  std::map<KernelKey, std::map<const Unit*, Part>> parts_;
  double others_ = 0;  // launches of kernels that found no room in the recorder's table
};

void Estimate::CountLaunches() {
  for (const model::LaunchCount& count : model_.launch_counts) {
    const auto launches = static_cast<double>(count.launches);
    if (count.graph != 0) {
      graphs_[{count.device, count.graph}].launches += launches;
    } else if (count.shape != 0) {
      kernels_[KeyOf(count.device, model_.shapes[count.shape])].launches += launches;
    } else {
      others_ += launches;
    }
  }
}

// A window ends when the GPU has done what was launched in it, so an operation is of the window in
// which it began. Launches under a counter range ran otherwise than the rest.
void Estimate::TakeTraced() {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::pair<Unit*, Part*>> known;
  size_t window = 0;
  for (const Op& op : model_.ops) {
    const bool graph = op.kind == model::OpKind::kGraph;
    if ((op.kind != model::OpKind::kKernel && !graph) || !op.timed || op.untraced || op.sampled) {
      continue;
    }
    while (window < model_.pauses.size() && model_.pauses[window].begin_ns <= op.start_ns) ++window;
    const auto [at, is_new] = known.try_emplace({op.device, graph ? 0 : op.shape, op.graph});
    if (is_new) {
      KernelKey key = KeyOf(op.device, model_.shapes[op.shape]);
      if (graph) key = {op.device, {}, {}, {}, 0, op.graph};
      Unit& unit = op.graph != 0 ? graphs_[{op.device, op.graph}] : kernels_[key];
      at->second = {&unit, &parts_[key][&unit]};
      at->second.second->unit = &unit;
    }
    auto [unit, part] = at->second;
    const bool launched =
        op.graph == 0 || unit->replays.insert(uint64_t{op.context} << 32U | op.correlation).second;
    if (launched) AddTo(&unit->of_window, window, 1);
    ++part->executions;
    AddTo(&part->time_ns, window, static_cast<double>(op.end_ns - op.start_ns));
  }
}

// Sum over the units of N * (time / launches), and its error from the residuals of the windows:
// what a window has beyond the mean, in all units at once, because they share its windows.
EstimatedTime Estimate::TimeOf(const std::vector<const Part*>& parts) const {
  EstimatedTime time;
  time.error_ns = 0;
  std::vector<double> residuals;
  std::vector<bool> used;
  double unbounded_ns = 0;
  for (const Part* const part : parts) {
    const double traced = part->unit->traced();
    const double launches = std::max(part->unit->launches, traced);
    const double per_launch_ns = Sum(part->time_ns) / traced;
    time.ns += launches * per_launch_ns;
    if (part->unit->windows() < kFewestWindows) unbounded_ns += launches * per_launch_ns;
    const double scale = launches / traced * std::sqrt(1 - traced / launches);
    for (size_t window = 0; window < part->unit->of_window.size(); ++window) {
      const double there = part->unit->of_window[window];
      if (there == 0) continue;
      if (used.size() <= window) used.resize(window + 1);
      used[window] = true;
      AddTo(&residuals, window, scale * (At(part->time_ns, window) - per_launch_ns * there));
    }
  }
  const auto windows = static_cast<size_t>(std::count(used.begin(), used.end(), true));
  if (windows < kFewestWindows || unbounded_ns > kMostUnbounded * time.ns) {
    time.error_ns.reset();
    return time;
  }
  double squares = 0;
  for (const double residual : residuals) squares += residual * residual;
  const auto n = static_cast<double>(windows);
  time.error_ns = StudentQuantile(n - 1) * std::sqrt(squares * n / (n - 1));
  return time;
}

WholeRunKernel Estimate::Describe(const KernelKey& key) const {
  WholeRunKernel kernel;
  const uint32_t graph = std::get<kGraphOfKey>(key);
  std::string_view name;
  std::tie(kernel.device, name, kernel.grid, kernel.block, kernel.dynamic_shared_bytes,
           std::ignore) = key;
  kernel.name = graph != 0 ? "CUDA graph " + std::to_string(graph)
                           : ShortName(text::Demangle(std::string(name)));
  if (kernel.name.empty()) kernel.name = "(unknown kernel)";
  return kernel;
}

void Estimate::AddSpan(WholeRun* run) const {
  const int64_t begin_ns = model_.process.start_ns;
  int64_t end_ns = model_.end_ns, paused_ns = 0;
  if (end_ns == 0 && !model_.ops.empty()) {  // it was killed
    for (const Op& op : model_.ops) end_ns = std::max(end_ns, op.end_ns);
  }
  for (const model::Pause& pause : model_.pauses) {
    end_ns = std::max({end_ns, pause.begin_ns, pause.end_ns});
  }
  for (const model::Pause& pause : model_.pauses) {
    paused_ns += (pause.end_ns > pause.begin_ns ? pause.end_ns : end_ns) - pause.begin_ns;
  }
  run->span_ns = static_cast<double>(std::max<int64_t>(0, end_ns - begin_ns));
  run->traced_ns = std::max(0.0, run->span_ns - static_cast<double>(paused_ns));
}

WholeRun Estimate::Finish() const {
  WholeRun run;
  AddSpan(&run);
  std::vector<const Part*> all;
  std::vector<bool> windows;
  const auto add = [&](const Unit& unit) {
    const double traced = unit.traced();
    const int64_t launches = Whole(std::max(unit.launches, traced));
    run.launches += launches;
    if (traced == 0) run.launches_without += launches;
    if (windows.size() < unit.of_window.size()) windows.resize(unit.of_window.size());
    for (size_t i = 0; i < unit.of_window.size(); ++i) {
      if (unit.of_window[i] > 0) windows[i] = true;
    }
  };
  for (const auto& [id, unit] : graphs_) add(unit);
  for (const auto& [key, unit] : kernels_) add(unit);
  run.launches += Whole(others_);
  run.launches_without += Whole(others_);
  run.windows = std::count(windows.begin(), windows.end(), true);

  for (const auto& [key, by_unit] : parts_) {
    std::vector<const Part*> parts;
    WholeRunKernel kernel = Describe(key);
    for (const auto& [unit, part] : by_unit) {
      parts.push_back(&part);
      const double traced = unit->traced();
      const double launches = std::max(unit->launches, traced);
      kernel.traced += part.executions;
      kernel.launches += Whole(static_cast<double>(part.executions) * launches / traced);
    }
    kernel.time = TimeOf(parts);
    all.insert(all.end(), parts.begin(), parts.end());
    run.kernels.push_back(std::move(kernel));
  }
  run.kernels_time = TimeOf(all);
  std::stable_sort(
      run.kernels.begin(), run.kernels.end(),
      [](const WholeRunKernel& a, const WholeRunKernel& b) { return a.time->ns > b.time->ns; });
  std::vector<WholeRunKernel> without;
  for (const auto& [key, unit] : kernels_) {
    if (parts_.count(key) != 0 || unit.launches == 0) continue;
    WholeRunKernel kernel = Describe(key);
    kernel.launches = Whole(unit.launches);
    without.push_back(std::move(kernel));
  }
  std::stable_sort(
      without.begin(), without.end(),
      [](const WholeRunKernel& a, const WholeRunKernel& b) { return a.launches > b.launches; });
  run.kernels.insert(run.kernels.end(), std::make_move_iterator(without.begin()),
                     std::make_move_iterator(without.end()));
  return run;
}

}  // namespace

std::optional<WholeRun> EstimateWholeRun(const Model& model) {
  if (model.launch_counts.empty()) return std::nullopt;
  return Estimate(model).Finish();
}

}  // namespace prof::analyzer
