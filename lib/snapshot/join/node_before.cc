// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/node_before.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace prof::snapshot {
namespace {

using model::RangeStep;
using model::StepTable;
using model::TorchSequence;

constexpr std::string_view kAccumulate = "AccumulateGrad";
// The engine takes the next node at once. Behind a longer wait another thread may have fed it.
constexpr int64_t kAtOnceNs = 100'000;

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

NodeBefore::NodeBefore(const model::Model* model, const NumberedNodes* nodes)
    : model_(*model),
      nodes_(*nodes),
      function_of_(model->paths.size()),
      accumulates_(model->paths.size()) {
  for (uint32_t path = 1; path < model_.paths.size(); ++path) {  // parents have smaller ids
    const model::RangePath& named = model_.paths[path];
    if (named.torch == model::TorchScope::kNone) continue;
    const bool function = model::IsTorchEngine(named);
    function_of_[path] = function ? path : function_of_[named.parent];
    accumulates_[path] = function && EndsWith(named.name, kAccumulate);
  }
  const size_t threads = std::min(nodes_.size(), model_.torch.steps.size());
  for (uint32_t thread = 0; thread < threads; ++thread) {
    if (!nodes_[thread].empty()) runners_.push_back(thread);
  }
}

// The node that ran last and is in a path that fits.
const TorchSequence* NodeBefore::Last(uint32_t thread, int64_t time_ns,
                                      const std::function<bool(uint32_t)>& fits) const {
  const auto& nodes = nodes_[thread];
  auto at = std::upper_bound(
      nodes.begin(), nodes.end(), time_ns,
      [](int64_t time, const TorchSequence* node) { return time < node->time_ns; });
  for (size_t i = 0; i < kMostSequences && at != nodes.begin(); ++i) {
    --at;
    if (fits((*at)->path)) return *at;
  }
  return nullptr;
}

// Whether all paths fit that the thread came to in between.
bool NodeBefore::AllSince(uint32_t thread, int64_t since_ns, int64_t time_ns,
                          const std::function<bool(const Stay&)>& fits) const {
  const StepTable& steps = model_.torch.steps[thread];
  int64_t end_ns = time_ns;
  size_t step = StepsUntil(steps, time_ns);
  for (size_t i = 0; step > 0; ++i) {
    const RangeStep at = steps[--step];
    if (at.time_ns() <= since_ns) return true;
    if (i == kMostSteps || !fits({at.path(), at.time_ns(), end_ns})) return false;
    end_ns = at.time_ns();
  }
  return true;
}

// Whether another thread was in the engine in between.
bool NodeBefore::OthersRan(uint32_t thread, int64_t since_ns, int64_t time_ns) const {
  if (runners_.size() > kMostEngineThreads) return true;
  return std::any_of(runners_.begin(), runners_.end(), [&](uint32_t other) {
    if (other == thread) return false;
    const TorchSequence* const node = Last(other, time_ns, [](uint32_t) { return true; });
    if (node == nullptr) return false;
    if (node->time_ns > since_ns) return true;
    const StepTable& steps = model_.torch.steps[other];
    const size_t step = StepsUntil(steps, since_ns);
    return step > 0 && function_of_[steps[step - 1].path()] != model::kNone;
  });
}

// The node that this call of the function ran.
const TorchSequence* NodeBefore::InFunction(uint32_t function, uint32_t thread,
                                            int64_t time_ns) const {
  const TorchSequence* const node =
      Last(thread, time_ns, [&](uint32_t path) { return function_of_[path] == function; });
  if (node == nullptr) return nullptr;
  const auto in_function = [&](const Stay& stay) {
    uint32_t path = stay.path;
    while (path > function) path = model_.paths[path].parent;  // parents have smaller ids
    return path == function;
  };
  return AllSince(thread, node->time_ns, time_ns, in_function) ? node : nullptr;
}

// The node in the function before this one, others that accumulate left out.
const TorchSequence* NodeBefore::ThatCompleted(uint32_t function, uint32_t thread,
                                               int64_t time_ns) const {
  const uint32_t around = model_.paths[function].parent;
  const auto beside = [&](uint32_t of) {
    return of != model::kNone && model_.paths[of].parent == around;
  };
  const TorchSequence* const node =
      Last(thread, time_ns, [&](uint32_t path) { return beside(function_of_[path]); });
  if (node == nullptr) return nullptr;
  const auto fits = [&](const Stay& stay) {
    if (stay.path == around) return stay.end_ns - stay.begin_ns <= kAtOnceNs;
    uint32_t path = stay.path;  // the function beside this one that the thread was in
    while (path > around && model_.paths[path].parent != around) path = model_.paths[path].parent;
    return path > around && (accumulates_[path] || path == function_of_[node->path]);
  };
  if (!AllSince(thread, node->time_ns, time_ns, fits)) return nullptr;
  // The engine had chosen the node by then: what another thread feeds it later waits for its end.
  const int64_t chosen_ns = node->time_ns - kAtOnceNs;
  return OthersRan(thread, chosen_ns, time_ns) ? nullptr : node;
}

const TorchSequence* NodeBefore::Of(uint32_t op, uint32_t thread, int64_t time_ns) const {
  const uint32_t function = function_of_[op];
  if (function == model::kNone) return nullptr;
  if (thread >= nodes_.size() || thread >= model_.torch.steps.size()) return nullptr;
  return accumulates_[function] ? ThatCompleted(function, thread, time_ns)
                                : InFunction(function, thread, time_ns);
}

}  // namespace prof::snapshot
