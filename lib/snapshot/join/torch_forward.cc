// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/torch_forward.h"

#include <algorithm>
#include <cstddef>

namespace prof::snapshot {
namespace {

using model::StepsUntil;
using model::StepTable;
using model::TorchScope;
using model::TorchSequence;

// Forward passes run on a few threads. A hostile file could have any number of them.
constexpr size_t kMostThreads = 256;

// Pauses are sorted and do not overlap.
bool PausedBetween(const model::Model& model, int64_t begin_ns, int64_t end_ns) {
  const auto pause =
      std::partition_point(model.pauses.begin(), model.pauses.end(),
                           [&](const model::Pause& earlier) { return earlier.end_ns <= begin_ns; });
  return pause != model.pauses.end() && pause->begin_ns < end_ns;
}

NumberedNodes NodesOf(const model::Model& model) {
  NumberedNodes nodes(model.torch.sequences.size());
  for (size_t thread = 0; thread < nodes.size(); ++thread) {
    for (const TorchSequence& sequence : model.torch.sequences[thread]) {
      if (model.paths[sequence.path].torch == TorchScope::kBackward) {
        nodes[thread].push_back(&sequence);
      }
    }
  }
  return nodes;
}

}  // namespace

TorchForward::TorchForward(const model::Model* model)
    : model_(*model),
      changes_(model->torch.sequences.size()),
      backwards_(NodesOf(*model)),
      before_(model, &backwards_) {
  for (uint32_t thread = 0; thread < changes_.size(); ++thread) {
    for (const TorchSequence& sequence : model_.torch.sequences[thread]) {
      if (model_.paths[sequence.path].torch == TorchScope::kBackward) continue;
      std::vector<Change>& changes = changes_[thread];
      // A number that falls is of another thread with the same id.
      if (!changes.empty() && sequence.number <= changes.back().number) changes.clear();
      changes.push_back({sequence.time_ns, sequence.number, sequence.path});
    }
    if (!changes_[thread].empty() && thread < model_.torch.steps.size()) makers_.push_back(thread);
  }
  if (model_.host_stacks.size() > 1) CollectCalls();
}

void TorchForward::CollectCalls() {
  calls_.resize(changes_.size());
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {  // sorted by time
    const uint32_t stack = model_.api_calls.stack(i);
    if (stack == model::kNone) continue;
    const model::ApiCall call = model_.api_calls[i];
    if (call.thread < calls_.size() && !changes_[call.thread].empty()) {
      calls_[call.thread].push_back({call.start_ns, stack});
    }
  }
}

// The innermost backward node around an op, or the op itself.
uint32_t TorchForward::NodeAround(uint32_t op) const {
  while (op != model::kNone && model_.paths[op].torch != TorchScope::kBackward) {
    op = model_.paths[op].parent;
  }
  return op;
}

// The number that came with the instance of `node` in which `thread` was at `time_ns`.
const TorchSequence* TorchForward::SequenceOf(uint32_t node, uint32_t thread,
                                              int64_t time_ns) const {
  if (thread >= backwards_.size() || thread >= model_.torch.steps.size()) return nullptr;
  const auto& sequences = backwards_[thread];
  auto at = std::upper_bound(
      sequences.begin(), sequences.end(), time_ns,
      [](int64_t time, const TorchSequence* sequence) { return time < sequence->time_ns; });
  const TorchSequence* found = nullptr;
  for (size_t i = 0; i < kMostSequences && at != sequences.begin() && found == nullptr; ++i) {
    --at;
    if ((*at)->path == node) found = *at;
  }
  if (found == nullptr) return nullptr;
  // Nodes without a number do not write one: it must be of the instance that is open.
  const StepTable& steps = model_.torch.steps[thread];
  size_t step = StepsUntil(steps, time_ns);
  for (size_t i = 0; i < kMostSteps && step > 0 && steps[step - 1].time_ns() > found->time_ns;
       ++i) {
    --step;
    uint32_t path = steps[step].path();
    while (path > node) path = model_.paths[path].parent;  // parents have smaller ids
    if (path != node) return nullptr;
  }
  return found;
}

// The stack of the first call of CUDA in the op that begins with this step of the thread.
uint32_t TorchForward::StackIn(uint32_t thread, size_t step) const {
  if (thread >= calls_.size()) return model::kNone;
  const StepTable& steps = model_.torch.steps[thread];
  const uint32_t op = steps[step].path();
  const std::vector<Call>& calls = calls_[thread];
  const auto call = std::partition_point(calls.begin(), calls.end(), [&](const Call& earlier) {
    return earlier.start_ns < steps[step].time_ns();
  });
  if (call == calls.end()) return model::kNone;
  for (size_t at = step; at < steps.size() && steps[at].time_ns() <= call->start_ns; ++at) {
    if (at == step + kMostSteps) return model::kNone;
    uint32_t path = steps[at].path();
    while (path > op) path = model_.paths[path].parent;  // parents have smaller ids
    if (path != op) return model::kNone;                 // the op ended before the call
  }
  return call->stack;
}

// The op that began last before `change`, and the range that it was in.
TorchForward::Place TorchForward::MakerBefore(uint32_t thread, const Change& change) const {
  const StepTable& steps = model_.torch.steps[thread];
  // The change was written right behind the step into its op.
  size_t at = StepsUntil(steps, change.time_ns);
  const size_t first = at > kMostSteps ? at - kMostSteps : 0;
  while (at > first && steps[at - 1].path() != change.path) --at;
  if (at < first + 2) return {};
  for (--at; at > first; --at) {
    const uint32_t path = steps[at - 1].path();
    const uint32_t before = at > 1 ? steps[at - 2].path() : model::kNone;
    const TorchScope scope = model_.paths[path].torch;
    if (scope != TorchScope::kFunction && scope != TorchScope::kBackward) continue;  // makes none
    const bool opens = at == 1 || model_.paths[path].parent == before;
    if (!opens) continue;
    const int64_t begin_ns = steps[at - 1].time_ns();
    if (PausedBetween(model_, begin_ns, change.time_ns)) return {};
    Place place;
    place.op = path;
    place.thread = thread;
    place.begin_ns = begin_ns;
    const StepTable& ranges = model_.steps[thread];
    const size_t range = StepsUntil(ranges, begin_ns);
    if (range > 0) place.range = ranges[range - 1].path();
    place.stack = StackIn(thread, at - 1);
    return place;
  }
  return {};
}

TorchForward::Place TorchForward::MakerOf(uint64_t number) const {
  if (makers_.size() > kMostThreads) return {};
  Place found;
  for (const uint32_t thread : makers_) {
    const std::vector<Change>& changes = changes_[thread];
    const auto change =
        std::upper_bound(changes.begin(), changes.end(), number,
                         [](uint64_t wanted, const Change& at) { return wanted < at.number; });
    if (change == changes.end()) continue;
    const Place maker = MakerBefore(thread, *change);
    if (maker.op == model::kNone) continue;
    if (found.op != model::kNone) return {};  // two threads have made such a node
    found = maker;
  }
  return found;
}

TorchForward::Place TorchForward::Of(uint32_t op, uint32_t thread, int64_t time_ns) {
  const uint32_t node = NodeAround(op);
  const TorchSequence* sequence =
      node == model::kNone ? nullptr : SequenceOf(node, thread, time_ns);
  const bool inferred = sequence == nullptr;
  if (inferred) sequence = before_.Of(op, thread, time_ns);
  if (sequence == nullptr) return {};
  const auto [known, added] = known_.try_emplace(sequence->number);
  if (added) known->second = MakerOf(sequence->number);
  Place place = known->second;
  place.inferred = inferred && place.op != model::kNone;
  return place;
}

}  // namespace prof::snapshot
