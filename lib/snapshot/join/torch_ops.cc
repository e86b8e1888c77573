// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/torch_ops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/snapshot/join/step_walk.h"
#include "lib/snapshot/join/torch_forward.h"
#include "lib/snapshot/join/torch_shapes.h"

namespace prof::snapshot {
namespace {

using model::Model;
using model::RangeStep;
using model::StepTable;
using model::TorchScope;

bool IsTorch(const Model& model, uint32_t path) {
  return model.paths[path].torch != TorchScope::kNone;
}

void TakeSteps(Model* model) {
  model->torch.steps.resize(model->steps.size());
  for (size_t thread = 0; thread < model->steps.size(); ++thread) {
    StepTable& all = model->steps[thread];
    StepTable& ops = model->torch.steps[thread];
    StepTable ranges;
    for (size_t i = 0; i < all.size(); ++i) {
      const RangeStep step = all[i];
      (IsTorch(*model, step.path()) ? ops : ranges).push_back(step);
    }
    all = std::move(ranges);
    ops.Sort([](const RangeStep& a, const RangeStep& b) { return a.time_ns() < b.time_ns(); });
  }
}

void TakeSequences(Model* model) {
  model->torch.sequences.resize(model->threads.size());
  std::vector<model::Payload> others;
  for (const model::Payload& payload : model->payloads) {
    if (!IsTorch(*model, payload.path)) {
      others.push_back(payload);
    } else if (payload.value >= 0 && payload.value < 0x1p53) {  // exact in a double
      model->torch.sequences[payload.thread].push_back(
          {payload.time_ns, static_cast<uint64_t>(payload.value), payload.path});
    }
  }
  model->payloads = std::move(others);
  for (std::vector<model::TorchSequence>& of_thread : model->torch.sequences) {
    std::stable_sort(of_thread.begin(), of_thread.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  }
}

// The op that each API call was made in. Calls are sorted by time, so one walk over the steps of
// each thread is enough.
std::vector<uint32_t> OpsOfCalls(const Model& model) {
  std::vector<uint32_t> ops(model.api_calls.size());
  StepWalk walk(model.torch.steps);
  for (size_t i = 0; i < model.api_calls.size(); ++i) {
    const model::ApiCall call = model.api_calls[i];
    const uint32_t path = walk.PathAt(call.thread, call.start_ns);
    if (model.paths[path].torch != TorchScope::kOutside) ops[i] = path;
  }
  return ops;
}

void SetTensorOps(Model* model) {
  for (std::vector<model::Allocation>* tensors :
       {&model->tensors.changes, &model->tensors.refused}) {
    if (tensors->empty()) continue;
    StepWalk walk(model->torch.steps);
    for (model::Allocation& tensor : *tensors) {
      const uint32_t path = walk.PathAt(tensor.thread, tensor.time_ns);
      if (model->paths[path].torch != TorchScope::kOutside) tensor.torch_op = path;
    }
  }
}

// The innermost path from `path` outwards that is a module; 0: there is none. `in_node`: within the
// innermost node of the autograd graph.
uint32_t ModuleAround(const Model& model, uint32_t path, bool in_node) {
  for (; path != model::kNone; path = model.paths[path].parent) {
    const TorchScope scope = model.paths[path].torch;
    if (scope == TorchScope::kModule) return path;
    if (in_node && scope == TorchScope::kBackward) return model::kNone;
  }
  return model::kNone;
}

uint32_t OpAround(const Model& model, uint32_t path) {
  while (model.paths[path].torch == TorchScope::kModule) path = model.paths[path].parent;
  return model.paths[path].torch == TorchScope::kOutside ? model::kNone : path;
}

// `launched_in`: an op or a module. A checkpoint calls modules again in the backward pass: these
// count. Else a node belongs to the module of its forward op; where that is not known, to the
// module that ran the backward pass.
void SetOpAndModule(const Model& model, uint32_t launched_in, model::TorchPlace* place) {
  place->op = OpAround(model, launched_in);
  place->module = ModuleAround(model, launched_in, true);
  if (place->module != model::kNone) return;
  place->module = ModuleAround(model, place->forward_op, false);
  if (place->module != model::kNone || place->forward_op != model::kNone) return;
  place->module = ModuleAround(model, launched_in, false);
}

}  // namespace

void TakeTorchOps(Model* model) {
  const bool recorded =
      std::any_of(model->paths.begin(), model->paths.end(),
                  [](const model::RangePath& path) { return path.torch != TorchScope::kNone; });
  if (!recorded) return;
  TakeSteps(model);
  TakeSequences(model);
}

void JoinTorchOps(Model* model) {
  if (!model->torch.recorded()) return;
  const std::vector<uint32_t> of_call = OpsOfCalls(*model);
  std::unordered_map<uint64_t, uint32_t> captured;  // the last entry of a node counts
  for (const model::GraphNode& node : model->graph_nodes) captured[node.node] = node.torch_op;
  for (model::Allocation& allocation : model->allocations) {
    if (allocation.api != model::kNoIndex) allocation.torch_op = of_call[allocation.api];
  }
  SetTensorOps(model);
  for (size_t i = 0; i < of_call.size(); ++i) {
    const bool failed =
        of_call[i] != model::kNone && model->api_calls.error(i) == model::kOutOfMemory;
    if (failed) model->torch.out_of_memory.emplace(i, of_call[i]);
  }
  TorchForward forward(model);
  for (model::Allocation& tensor : model->tensors.changes) {
    if (tensor.torch_op == model::kNone) continue;
    if (tensor.operation != model::AllocationOperation::kAllocate) continue;
    const uint32_t stack = forward.Of(tensor.torch_op, tensor.thread, tensor.time_ns).stack;
    if (stack != model::kNone) tensor.stack = stack;
  }
  model->torch.places.resize(model->ops.size());
  std::optional<TorchInstances> instances;
  if (!model->torch.shapes.empty()) {
    instances.emplace(model);
    model->torch.calls.resize(model->ops.size());
  }
  for (size_t i = 0; i < model->ops.size(); ++i) {
    const model::Op op = model->ops[i];
    model::TorchPlace& place = model->torch.places[i];
    const auto node = op.graph != 0 ? captured.find(op.graph_node) : captured.end();
    if (node != captured.end() && IsTorch(*model, node->second)) {
      // Nothing is known of the node's backward pass at capture.
      SetOpAndModule(*model, node->second, &place);
      continue;
    }
    if (op.api == model::kNoIndex) continue;
    const uint32_t launched_in = of_call[static_cast<size_t>(op.api)];
    if (launched_in == model::kNone) continue;
    const model::ApiCall call = model->api_calls[static_cast<size_t>(op.api)];
    const TorchForward::Place from = forward.Of(launched_in, call.thread, call.start_ns);
    place.forward_op = from.op;
    place.forward_range = from.range;
    place.forward_stack = from.stack;
    place.forward_inferred = from.inferred;
    SetOpAndModule(*model, launched_in, &place);
    if (!instances) continue;
    model::TorchCall& torch_call = model->torch.calls[i];
    torch_call.launched_in = instances->At(call.thread, call.start_ns);
    torch_call.forward = instances->Of(from.thread, from.op, from.begin_ns);
  }
}

}  // namespace prof::snapshot
