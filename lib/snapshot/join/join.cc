// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/join.h"

#include <algorithm>
#include <future>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "lib/snapshot/join/captured_paths.h"
#include "lib/snapshot/model/api_class.h"
#include "lib/snapshot/model/overhead_class.h"
#include "lib/snapshot/model/reserve.h"

namespace prof::internal {
namespace {

using model::ApiCall;
using model::Model;
using model::Op;
using model::OpKind;

// Fewer are not worth a thread.
constexpr size_t kManyCalls = 100'000;

// Records come nearly in order; checking costs less than sorting.
template <typename T, typename Less>
void SortUnlessSorted(std::vector<T>* values, Less less) {
  if (!std::is_sorted(values->begin(), values->end(), less)) {
    std::stable_sort(values->begin(), values->end(), less);
  }
}

// The rows of a PM series by begin.
void SortPm(model::PmSeries* series) {
  if (std::is_sorted(series->begin_ns.begin(), series->begin_ns.end())) return;
  std::vector<size_t> order(series->rows());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return series->begin_ns[a] < series->begin_ns[b]; });
  const model::PmSeries unsorted = *series;
  const size_t metrics = series->metrics.size();
  for (size_t i = 0; i < order.size(); ++i) {
    series->begin_ns[i] = unsorted.begin_ns[order[i]];
    series->end_ns[i] = unsorted.end_ns[order[i]];
    series->samples[i] = unsorted.samples[order[i]];
    std::copy_n(unsorted.row(order[i]), metrics, series->values.data() + i * metrics);
  }
}

void SortSteps(Model* model) {
  for (std::vector<model::RangeStep>& steps : model->steps) {
    SortUnlessSorted(&steps, [](const model::RangeStep& a, const model::RangeStep& b) {
      return a.time_ns() < b.time_ns();
    });
  }
}

void SortOthers(Model* model) {
  model->ops.Sort();
  model->api_calls.Sort();
  const auto by_start = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
  SortUnlessSorted(&model->syncs, by_start);
  SortUnlessSorted(&model->overheads, by_start);
  SortUnlessSorted(&model->unified_memory, by_start);
  const auto by_time = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  SortUnlessSorted(&model->allocations, by_time);
  SortUnlessSorted(&model->pool_states, by_time);
  SortUnlessSorted(&model->spans, by_start);
  SortUnlessSorted(&model->profiler_intervals,
                   [](const model::ProfilerInterval& a, const model::ProfilerInterval& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  for (model::PmSeries& series : model->pm_series) SortPm(&series);
}

void ClassifyCalls(Model* model) {
  std::vector<std::optional<model::ApiClass>> known(model->strings.size());
  model->api_calls.Classify([&](uint32_t name) {
    std::optional<model::ApiClass>& cls = known[name];
    if (!cls) cls = ClassifyApi(model->strings[name]);
    return *cls;
  });
}

// Calls come in time order, so each thread's steps are walked once.
void SetCallPaths(Model* model) {
  std::vector<size_t> next(model->steps.size());
  for (size_t i = 0; i < model->api_calls.size(); ++i) {
    const ApiCall call = model->api_calls[i];
    const std::vector<model::RangeStep>& steps = model->steps[call.thread];
    size_t& at = next[call.thread];
    while (at < steps.size() && steps[at].time_ns() <= call.start_ns) ++at;
    if (at > 0) model->api_calls.SetPath(i, steps[at - 1].path());
  }
}

// Correlation ids to the outermost call that has them. Calls are sorted by start, longest first:
// the first of an id is the outermost one.
class CallIndex {
 public:
  explicit CallIndex(const model::CallTable& calls) : calls_(calls), size_(calls.size()) {
    // Where one thread calls, ids grow with time: the calls are their own index.
    size_t i = 1;
    while (i < size_ && calls.correlation(i - 1) <= calls.correlation(i)) ++i;
    if (i >= size_) return;
    ReserveRows(size_, &keys_);
    for (i = 0; i < size_; ++i) keys_.push_back(uint64_t{calls.correlation(i)} << 32 | i);
    std::sort(keys_.begin(), keys_.end());
  }

  int32_t Find(uint32_t correlation) {
    if (correlation == 0) return model::kNoIndex;
    hint_ = FirstNotBelow(correlation);
    if (hint_ == size_ || IdAt(hint_) != correlation) return model::kNoIndex;
    return static_cast<int32_t>(keys_.empty() ? hint_ : keys_[hint_] & 0xffffffff);
  }

 private:
  uint32_t IdAt(size_t i) const {
    return keys_.empty() ? calls_.correlation(i) : static_cast<uint32_t>(keys_[i] >> 32);
  }

  // Operations mostly come in the order of their calls: the answer is near the last one.
  size_t FirstNotBelow(uint32_t correlation) const {
    size_t begin = 0, end = hint_;
    if (hint_ < size_ && IdAt(hint_) < correlation) {
      for (begin = hint_ + 1; begin < size_ && begin <= hint_ + 16; ++begin) {
        if (IdAt(begin) >= correlation) return begin;
      }
      end = size_;
    } else if (hint_ == 0 || IdAt(hint_ - 1) < correlation) {
      return hint_;
    }
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      IdAt(middle) < correlation ? begin = middle + 1 : end = middle;
    }
    return begin;
  }

  const model::CallTable& calls_;
  std::vector<uint64_t> keys_;  // correlation in the upper, index in the lower half
  size_t size_, hint_ = 0;
};

// What calls did: operations, allocations and frees.
void JoinOps(Model* model) {
  CallIndex index(model->api_calls);
  for (size_t i = 0; i < model->ops.size(); ++i) {
    const int32_t call = index.Find(model->ops.correlation(i));
    if (call != model::kNoIndex) model->ops.SetCall(i, call, model->api_calls.path(call));
  }
  for (model::Allocation& allocation : model->allocations) {
    allocation.api = index.Find(allocation.correlation);
    if (allocation.api != model::kNoIndex) allocation.path = model->api_calls.path(allocation.api);
  }
}

uint64_t LaunchKey(uint32_t context, uint32_t correlation) {
  return uint64_t{context} << 32 | correlation;
}

// A launch that another thread made while tracing was paused may have its record all the same.
void DropUntracedWithRecord(Model* model) {
  if (!model->ops.MayHaveUntraced()) return;
  std::unordered_set<uint64_t> untraced;
  for (const Op& op : model->ops) {
    if (op.untraced) untraced.insert(LaunchKey(op.context, op.correlation));
  }
  if (untraced.empty()) return;
  std::unordered_set<uint64_t> recorded;
  for (const Op& op : model->ops) {
    const uint64_t key = LaunchKey(op.context, op.correlation);
    if (!op.untraced && op.kind == OpKind::kKernel && untraced.count(key) != 0) {
      recorded.insert(key);
    }
  }
  if (recorded.empty()) return;
  model->ops.EraseIf([&](const Op& op) {
    return op.untraced && recorded.count(LaunchKey(op.context, op.correlation)) != 0;
  });
}

// A launch that was sampled: as a kernel, as a graph, or both.
struct SampledLaunch {
  int32_t op = model::kNoIndex;
  int kernels = 0;
  bool graph = false;
  size_t first_op = 0, ops = 0;  // in Model::graph_ops
};
using SampledLaunches = std::unordered_map<uint64_t, SampledLaunch>;

// All operations of the launches that were sampled as a graph, launch after launch.
void ListGraphOps(SampledLaunches* launches, Model* model) {
  size_t size = 0;
  for (auto& [key, launch] : *launches) {
    if (!launch.graph) continue;
    launch.first_op = size;
    size += launch.ops;
    launch.ops = 0;
  }
  model->graph_ops.resize(size);
  for (size_t i = 0; size != 0 && i < model->ops.size(); ++i) {
    const Op& op = model->ops[i];
    const auto it = launches->find(LaunchKey(op.context, op.correlation));
    if (it == launches->end() || !it->second.graph) continue;
    model->graph_ops[it->second.first_op + it->second.ops++] = static_cast<int32_t>(i);
  }
}

// A kernel's sample speaks of one launch. Where several kernels share the correlation id (a graph
// launch), its values are of all of them together and belong to none. A graph's sample speaks of
// all operations of the launch, a range's of no launch.
void JoinSamples(Model* model) {
  SampledLaunches launches;
  for (const model::CounterSample& sample : model->samples) {
    if (sample.unit == model::SampleUnit::kRange) continue;
    SampledLaunch& launch = launches[LaunchKey(sample.context, sample.correlation)];
    launch.graph |= sample.unit == model::SampleUnit::kGraph;
  }
  if (launches.empty()) return;
  for (size_t i = 0; i < model->ops.size(); ++i) {
    const Op op = model->ops[i];
    const auto it = launches.find(LaunchKey(op.context, op.correlation));
    if (it == launches.end()) continue;
    ++it->second.ops;
    if (!RunsKernels(op)) continue;
    model->ops.SetSampled(i);
    if (op.kind == OpKind::kGraph) continue;
    it->second.op = static_cast<int32_t>(i);
    ++it->second.kernels;
  }
  ListGraphOps(&launches, model);
  for (model::CounterSample& sample : model->samples) {
    if (sample.unit == model::SampleUnit::kRange) continue;
    const SampledLaunch& launch = launches[LaunchKey(sample.context, sample.correlation)];
    if (sample.unit == model::SampleUnit::kGraph) {
      sample.first_graph_op = launch.first_op;
      sample.graph_ops = launch.ops;
    } else if (launch.kernels == 1) {
      sample.op = launch.op;
      // Where the call's record was lost, the sample knows the path.
      if (model->ops.api(launch.op) == model::kNoIndex) model->ops.SetPath(launch.op, sample.path);
    }
  }
}

// Launches inside a counter range that gave no values were slowed down by it all the same.
void MarkSampled(Model* model) {
  std::vector<std::vector<const model::ProfilerInterval*>> by_thread(model->threads.size());
  for (const model::ProfilerInterval& interval : model->profiler_intervals) {
    if (interval.work == model::ProfilerWork::kSample) {
      by_thread[interval.thread].push_back(&interval);
    }
  }
  if (std::all_of(by_thread.begin(), by_thread.end(), [](const auto& of) { return of.empty(); })) {
    return;
  }
  std::vector<size_t> next(by_thread.size());
  std::vector<bool> sampled(model->api_calls.size());
  for (size_t i = 0; i < model->api_calls.size(); ++i) {
    const ApiCall call = model->api_calls[i];
    const auto& intervals = by_thread[call.thread];
    size_t& at = next[call.thread];
    while (at < intervals.size() && intervals[at]->end_ns <= call.start_ns) ++at;
    // The callback's interval lies within the call's, or around it.
    sampled[i] = at < intervals.size() && intervals[at]->begin_ns < call.end_ns;
  }
  for (size_t i = 0; i < model->ops.size(); ++i) {
    const int32_t call = model->ops.api(i);
    if (call != model::kNoIndex && sampled[call]) model->ops.SetSampled(i);
  }
}

// First launches: the driver loads the kernel's code within the call.
void MarkLoading(Model* model) {
  std::vector<std::vector<const model::Overhead*>> by_thread(model->threads.size());
  for (const model::Overhead& overhead : model->overheads) {
    if (LoadsCode(overhead.kind)) by_thread[overhead.thread].push_back(&overhead);
  }
  if (std::all_of(by_thread.begin(), by_thread.end(), [](const auto& of) { return of.empty(); })) {
    return;
  }
  std::vector<size_t> next(by_thread.size());
  for (size_t i = 0; i < model->api_calls.size(); ++i) {
    const ApiCall call = model->api_calls[i];
    const auto& loads = by_thread[call.thread];
    size_t& at = next[call.thread];
    while (at < loads.size() && loads[at]->start_ns < call.start_ns) ++at;
    if (call.thread != 0 && at < loads.size() && loads[at]->start_ns < call.end_ns) {
      model->api_calls.SetLoadsCode(i);
    }
  }
}

bool RangesStayOpen(const Model& model) {
  return std::any_of(model.steps.begin(), model.steps.end(), [](const auto& steps) {
    return !steps.empty() && steps.back().path() != model::kNone;
  });
}

int64_t LastMoment(const Model& model) {
  int64_t end_ns = model.end_ns;
  bool known = end_ns != 0;
  for (const std::vector<model::RangeStep>& steps : model.steps) {
    if (steps.empty()) continue;
    end_ns = known ? std::max(end_ns, steps.back().time_ns()) : steps.back().time_ns();
    known = true;
  }
  for (const ApiCall& call : model.api_calls) end_ns = std::max(end_ns, call.end_ns);
  for (const Op& op : model.ops) {
    if (op.timed) end_ns = std::max(end_ns, op.end_ns);
  }
  return end_ns;
}

}  // namespace

void Join(Model* model) {
  SortSteps(model);
  // Instances come from steps and paths alone, which nothing changes while they are derived.
  const int64_t end_ns = RangesStayOpen(*model) ? LastMoment(*model) : 0;
  const auto when = model->api_calls.size() < kManyCalls
                        ? std::launch::deferred
                        : std::launch::async | std::launch::deferred;
  std::future<void> instances =
      std::async(when, [end_ns, model] { DeriveInstances(end_ns, model); });
  DropUntracedWithRecord(model);
  SortOthers(model);
  ClassifyCalls(model);
  SetCallPaths(model);
  JoinOps(model);
  JoinSamples(model);
  MarkSampled(model);
  MarkLoading(model);
  instances.get();
  SetCapturedPaths(model);  // adds paths
}

}  // namespace prof::internal
