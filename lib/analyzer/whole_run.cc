// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/whole_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/analyzer/base/kernel_names.h"
#include "lib/analyzer/base/quantiles.h"
#include "lib/text/demangle.h"

namespace prof::analyzer {
namespace {

using model::Model;
using model::Op;

constexpr size_t kFewestWindows = 3;  // two have one difference, which says little of its size
// The share of the time that may be of launches in fewer windows: their error is not known.
constexpr double kMostUnbounded = 0.01;
constexpr double kMostCounted = 1e12;  // a damaged file may have any number

int64_t Whole(double launches) { return std::llround(std::min(launches, kMostCounted)); }

// Sums by window, of the windows that have any; in their order.
class ByWindow {
 public:
  void Add(size_t window, double value) {
    sum_ += value;
    auto at = values_.end();  // nearly always the last one
    while (at != values_.begin() && std::prev(at)->first > window) --at;
    if (at != values_.begin() && std::prev(at)->first == window) {
      std::prev(at)->second += value;
    } else {
      values_.insert(at, {window, value});
    }
  }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] const std::vector<std::pair<size_t, double>>& values() const { return values_; }

 private:
  double sum_ = 0;
  std::vector<std::pair<size_t, double>> values_;
};

// A kernel as a launch names it, without what only CUPTI's record has; or a graph as a whole.
using LaunchedKernel = std::tuple<uint32_t, std::string_view, std::array<uint32_t, 3>,
                                  std::array<uint32_t, 3>, uint32_t, uint32_t>;
constexpr size_t kGraphOfKey = 5;

LaunchedKernel KeyOf(uint32_t device, const model::Shape& shape) {
  return {device, shape.name, shape.grid, shape.block, shape.dynamic_shared_bytes, 0};
}

// What is launched together: a kernel, or a graph with all that is in it.
struct LaunchUnit {
  double launches = 0;  // counted
  ByWindow traced;      // launches
  // Of a graph: the window of each launch that was traced.
  std::unordered_map<uint64_t, size_t> replays;

  // Some launches that were traced are missing from the counts: they had no room in the recorder's
  // table, or the recording was killed.
  [[nodiscard]] bool miscounted() const { return launches < traced.sum(); }
  [[nodiscard]] bool bounded() const { return traced.values().size() >= kFewestWindows; }
};

// What a kernel did in launches of one unit.
struct KernelPart {
  const LaunchUnit* unit = nullptr;
  int64_t executions = 0;
  ByWindow time_ns;
};

class WholeRunEstimate {
 public:
  explicit WholeRunEstimate(const Model& model) : model_(model) {
    CountLaunches();
    TakeTraced();
  }

  WholeRun Finish() const;

 private:
  void CountLaunches();
  void TakeTraced();
  [[nodiscard]] WholeRunKernel Describe(const LaunchedKernel& key) const;
  [[nodiscard]] EstimatedTime TimeOf(const std::vector<const KernelPart*>& parts) const;
  void AddLaunches(WholeRun* run) const;
  void AddKernels(WholeRun* run) const;
  void AddWithout(WholeRun* run) const;
  void AddSpan(WholeRun* run) const;

  const Model& model_;
  std::map<LaunchedKernel, LaunchUnit> kernels_;
  std::map<std::pair<uint32_t, uint32_t>, LaunchUnit> graphs_;  // by device and graph
  std::map<LaunchedKernel, std::map<const LaunchUnit*, KernelPart>> parts_;
  double others_ = 0;  // launches of kernels that found no room in the recorder's table
  double counted_ns_ = 0;
};

void WholeRunEstimate::CountLaunches() {
  for (const model::LaunchCount& count : model_.launch_counts) {
    const auto launches = static_cast<double>(count.launches);
    counted_ns_ += static_cast<double>(count.counted_ns);
    if (count.graph != 0) {
      graphs_[{count.device, count.graph}].launches += launches;
    } else if (count.shape != 0) {
      kernels_[KeyOf(count.device, model_.shapes[count.shape])].launches += launches;
    } else {
      others_ += launches;
    }
  }
}

// A window is what lies before a pause, and what the GPU still does in the pause of what was
// launched before it. The first one, in which the recording began, is no window that was drawn.
// Launches under a counter range ran otherwise than the rest.
void WholeRunEstimate::TakeTraced() {
  const bool drawn = !model_.pauses.empty();
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::pair<LaunchUnit*, KernelPart*>> known;
  size_t window = 0;
  for (const Op& op : model_.ops) {
    const bool graph = op.kind == model::OpKind::kGraph;
    if ((op.kind != model::OpKind::kKernel && !graph) || !op.timed || op.untraced || op.sampled) {
      continue;
    }
    while (window < model_.pauses.size() &&
           model_.pauses[window].end_ns > model_.pauses[window].begin_ns &&
           model_.pauses[window].end_ns <= op.start_ns) {
      ++window;
    }
    if (drawn && window == 0) continue;
    const auto [at, is_new] = known.try_emplace({op.device, graph ? 0 : op.shape, op.graph});
    if (is_new) {
      LaunchedKernel key = KeyOf(op.device, model_.shapes[op.shape]);
      if (graph) key = {op.device, {}, {}, {}, 0, op.graph};
      LaunchUnit& unit = op.graph != 0 ? graphs_[{op.device, op.graph}] : kernels_[key];
      at->second = {&unit, &parts_[key][&unit]};
      at->second.second->unit = &unit;
    }
    auto [unit, part] = at->second;
    size_t launched_in = window;
    bool is_launch = true;
    if (op.graph != 0) {
      const auto [replay, first] =
          unit->replays.try_emplace(uint64_t{op.context} << 32U | op.correlation, window);
      launched_in = replay->second;
      is_launch = first;
    }
    if (is_launch) unit->traced.Add(launched_in, 1);
    ++part->executions;
    part->time_ns.Add(launched_in, static_cast<double>(op.end_ns - op.start_ns));
  }
}

// Sum over the units of N * (time / launches), and its error from the residuals of the windows:
// what a window has beyond the mean, in all units at once, because they share its windows.
EstimatedTime WholeRunEstimate::TimeOf(const std::vector<const KernelPart*>& parts) const {
  EstimatedTime time;
  double unbounded_ns = 0;
  std::map<size_t, double> residuals;  // by window
  for (const KernelPart* const part : parts) {
    const LaunchUnit& unit = *part->unit;
    const double traced = unit.traced.sum(), launches = unit.launches;
    const double per_launch_ns = part->time_ns.sum() / traced;
    time.ns += launches * per_launch_ns;
    if (!unit.bounded()) unbounded_ns += launches * per_launch_ns;
    const double scale = launches / traced * std::sqrt(1 - traced / launches);
    auto there = part->time_ns.values().begin();
    const auto end = part->time_ns.values().end();
    for (const auto& [window, launches_there] : unit.traced.values()) {
      while (there != end && there->first < window) ++there;
      const double ns = there != end && there->first == window ? there->second : 0;
      residuals[window] += scale * (ns - per_launch_ns * launches_there);
    }
  }
  if (residuals.size() < kFewestWindows || unbounded_ns > kMostUnbounded * time.ns) return time;
  double squares = 0;
  for (const auto& [window, residual] : residuals) squares += residual * residual;
  const auto n = static_cast<double>(residuals.size());
  time.error_ns = StudentQuantile(n - 1) * std::sqrt(squares * n / (n - 1));
  return time;
}

WholeRunKernel WholeRunEstimate::Describe(const LaunchedKernel& key) const {
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

// The time in which launches were counted, and in which they were traced. Times of a damaged file
// may be anything, so nothing here is done in integers.
void WholeRunEstimate::AddSpan(WholeRun* run) const {
  auto end_ns = static_cast<double>(model_.end_ns);
  auto begin_ns = static_cast<double>(model_.process.start_ns);
  if (model_.end_ns == 0) {  // it was killed
    for (const Op& op : model_.ops) end_ns = std::max(end_ns, static_cast<double>(op.end_ns));
  }
  if (!model_.pauses.empty()) begin_ns = static_cast<double>(model_.pauses.front().begin_ns);
  double paused_ns = 0;
  for (size_t i = 0; i < model_.pauses.size(); ++i) {
    const model::Pause& pause = model_.pauses[i];
    const bool open = pause.end_ns <= pause.begin_ns && i + 1 == model_.pauses.size();
    const auto pause_end_ns = open ? end_ns : static_cast<double>(pause.end_ns);
    end_ns = std::max(end_ns, pause_end_ns);
    paused_ns += std::max(0.0, pause_end_ns - static_cast<double>(pause.begin_ns));
  }
  run->span_ns = counted_ns_ > 0 ? counted_ns_ : std::max(0.0, end_ns - begin_ns);
  run->traced_ns = std::clamp(end_ns - begin_ns - paused_ns, 0.0, run->span_ns);
}

void WholeRunEstimate::AddLaunches(WholeRun* run) const {
  double others = others_;
  std::vector<bool> windows;
  const auto add = [&](const LaunchUnit& unit) {
    // What is missing here is among the others.
    const double missing = std::max(0.0, unit.traced.sum() - unit.launches);
    others -= std::min(others, missing);
    const int64_t launches = Whole(unit.launches + missing);
    run->launches += launches;
    if (unit.traced.values().empty() || unit.miscounted()) run->launches_without += launches;
    for (const auto& [window, launches_there] : unit.traced.values()) {
      if (windows.size() <= window) windows.resize(window + 1);
      windows[window] = true;
    }
  };
  for (const auto& [id, unit] : graphs_) add(unit);
  for (const auto& [key, unit] : kernels_) add(unit);
  run->launches += Whole(others);
  run->launches_without += Whole(others);
  run->windows = std::count(windows.begin(), windows.end(), true);
}

void WholeRunEstimate::AddKernels(WholeRun* run) const {
  std::vector<const KernelPart*> all;
  for (const auto& [key, by_unit] : parts_) {
    std::vector<const KernelPart*> parts;
    WholeRunKernel kernel = Describe(key);
    bool miscounted = false;
    for (const auto& [unit, part] : by_unit) {
      parts.push_back(&part);
      miscounted = miscounted || unit->miscounted();
      kernel.traced += part.executions;
      const double launches = std::max(unit->launches, unit->traced.sum());
      kernel.launches +=
          Whole(static_cast<double>(part.executions) * launches / unit->traced.sum());
    }
    if (!miscounted) {
      kernel.time = TimeOf(parts);
      all.insert(all.end(), parts.begin(), parts.end());
    }
    run->kernels.push_back(std::move(kernel));
  }
  run->kernels_time = TimeOf(all);
}

void WholeRunEstimate::AddWithout(WholeRun* run) const {
  for (const auto& [key, unit] : kernels_) {
    if (parts_.count(key) != 0 || unit.launches == 0) continue;
    WholeRunKernel kernel = Describe(key);
    kernel.launches = Whole(unit.launches);
    run->kernels.push_back(std::move(kernel));
  }
}

WholeRun WholeRunEstimate::Finish() const {
  WholeRun run;
  AddSpan(&run);
  AddLaunches(&run);
  AddKernels(&run);
  AddWithout(&run);
  std::stable_sort(run.kernels.begin(), run.kernels.end(),
                   [](const WholeRunKernel& a, const WholeRunKernel& b) {
                     const double a_ns = a.time ? a.time->ns : -1, b_ns = b.time ? b.time->ns : -1;
                     return std::tie(b_ns, b.launches) < std::tie(a_ns, a.launches);
                   });
  return run;
}

}  // namespace

std::optional<WholeRun> EstimateWholeRun(const Model& model) {
  if (model.launch_counts.empty()) return std::nullopt;
  return WholeRunEstimate(model).Finish();
}

}  // namespace prof::analyzer
