// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/join.h"

#include <algorithm>
#include <future>

#include "lib/snapshot/join/calls.h"
#include "lib/snapshot/join/captured_paths.h"
#include "lib/snapshot/join/range_instances.h"
#include "lib/snapshot/join/samples.h"
#include "lib/snapshot/join/sort.h"
#include "lib/snapshot/join/torch_ops.h"
#include "lib/snapshot/join/torch_shapes.h"

namespace prof::snapshot {
namespace {

using model::ApiCall;
using model::Model;
using model::Op;

// Fewer calls are not worth a thread.
constexpr size_t kManyCalls = 100'000;

bool RangesStayOpen(const Model& model) {
  return std::any_of(model.steps.begin(), model.steps.end(), [](const auto& steps) {
    return !steps.empty() && steps.back().path() != model::kNone;
  });
}

int64_t LastMoment(const Model& model) {
  int64_t end_ns = model.end_ns;
  bool known = end_ns != 0;
  for (const model::StepTable& steps : model.steps) {
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

// The last entry of a node counts.
void SetNodeStacks(Model* model) {
  for (const model::GraphNode& node : model->graph_nodes) {
    if (node.stack != model::kNone) {
      model->node_stacks[node.node] = node.stack;
    } else {
      model->node_stacks.erase(node.node);
    }
  }
}

}  // namespace

void Join(Model* model) {
  TakeTorchOps(model);
  SortSteps(model);
  // Instances come from steps and paths alone, and nothing changes those while they are derived.
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
  SetTensorPaths(model);
  JoinSamples(model);
  MarkSampled(model);
  MarkLoading(model);
  instances.get();
  SetNodeStacks(model);
  if (model->torch.recorded()) {
    DeriveTorchInstances(LastMoment(*model), model);
    JoinTorchShapes(model);
    JoinTorchOps(model);
  }
  SetCapturedPaths(model);  // adds paths
}

}  // namespace prof::snapshot
