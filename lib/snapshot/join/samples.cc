// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/samples.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace prof::snapshot {
namespace {

using model::ApiCall;
using model::LaunchKey;
using model::Model;
using model::Op;
using model::OpKind;

// A launch that was sampled: as a kernel, as a graph, or both.
struct SampledLaunch {
  int32_t op = model::kNoIndex;
  int kernels = 0;
  bool graph = false;
  size_t first_op = 0, ops = 0;  // in Model::graph_ops
};
using SampledLaunches = std::unordered_map<uint64_t, SampledLaunch>;

// Lists the operations of the launches that were sampled as a graph, launch after launch.
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

}  // namespace

// A sample of a kernel belongs to one launch. Where several kernels share the correlation id (a
// graph launch), its values are of all of them together and belong to none. A sample of a graph
// belongs to all operations of the launch, a sample of a range to no launch.
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

}  // namespace prof::snapshot
