// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/steps/step_parts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "lib/analyzer/base/communication.h"
#include "lib/analyzer/base/search.h"
#include "lib/analyzer/base/step_names.h"
#include "lib/analyzer/base/torch_paths.h"

namespace prof::analyzer {
namespace {

using model::kNone;
using model::StepTable;
using model::TorchScope;

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

}  // namespace

uint32_t PathAt(const std::vector<StepTable>& steps, uint32_t thread, int64_t time_ns) {
  if (thread >= steps.size()) return kNone;
  const StepTable& list = steps[thread];
  const size_t until = StepsUntil(list, time_ns);
  return until == 0 ? kNone : list[until - 1].path();
}

StepParts::StepParts(const model::Model& model, const Iterations& iterations)
    : model_(model),
      iterations_(iterations),
      communicates_(Communicates(model)),
      backward_(BackwardPaths(model)),
      backward_threads_(BackwardThreads(model, backward_)),
      last_backward_ns_(iterations.size(), kNever) {
  LabelPaths();
  FindBackward();
  FindPieces();
  FillBetweenOps();
}

// The range of the steps, and those around it, are of no part.
void StepParts::LabelPaths() {
  labels_.resize(model_.paths.size());
  std::vector<bool> around(model_.paths.size());
  for (const model::RangeInstance& range : iterations_) {
    for (uint32_t path = range.path; path != kNone && !around[path];
         path = model_.paths[path].parent) {
      around[path] = true;
    }
  }
  for (uint32_t id = 1; id < model_.paths.size(); ++id) {  // parents have smaller ids
    if (around[id]) continue;
    const model::RangePath& path = model_.paths[id];
    std::optional<StepPart> part;
    if (path.torch == TorchScope::kNone) {
      part = PartOfRange(path.name, path.domain);
    } else if (backward_[id]) {
      part = StepPart::kBackward;
    } else {
      part = PartOfScope(path.name);
    }
    Label& label = labels_[id];
    if (part) {
      label = {Told::kPart, *part};
    } else {
      label = labels_[path.parent];
      if (path.captured != kNone && label.told == Told::kNothing) label = labels_[path.captured];
      const bool op = path.torch == TorchScope::kFunction;
      if (op && label.told == Told::kNothing) label.told = Told::kOp;
    }
  }
}

// The step in whose host time a moment is; the number of steps: it is behind all.
size_t StepParts::StepAt(int64_t time_ns) const {
  near_ = FirstNotBefore(iterations_.size(), near_,
                         [&](size_t i) { return iterations_[i].end_ns < time_ns; });
  return near_;
}

void StepParts::FindBackward() {
  Intervals engine;
  for (const model::RangeInstance& instance : model_.torch.instances) {
    if (!backward_[instance.path] || backward_[model_.paths[instance.path].parent]) continue;
    const size_t step = StepAt(instance.start_ns);
    if (step < last_backward_ns_.size()) {
      last_backward_ns_[step] = std::max(last_backward_ns_[step], instance.start_ns);
    }
    if (instance.thread == iterations_.front().thread) continue;
    engine.push_back({instance.start_ns, instance.end_ns});
  }
  engine_ = IntervalUnion(std::move(engine));
}

// An op outside of the backward pass is of the forward pass where a node runs behind it in the same
// step. Otherwise it may be anything: an evaluation, the clipping of gradients.
StepPart StepParts::PartAt(uint32_t op, uint32_t range, int64_t time_ns) const {
  if (labels_[op].told == Told::kPart) return labels_[op].part;
  if (labels_[range].told == Told::kPart) return labels_[range].part;
  if (labels_[op].told == Told::kNothing) return StepPart::kNotKnown;
  const size_t step = StepAt(time_ns);
  const bool forward = step < last_backward_ns_.size() && time_ns < last_backward_ns_[step];
  return forward ? StepPart::kForward : StepPart::kOther;
}

StepPart StepParts::OfOperation(size_t index) const {
  const model::Op op = model_.ops[index];
  if (op.kind == model::OpKind::kKernel && communicates_[op.shape]) return StepPart::kCommunication;
  // The place of a graph's node is that of its capture: when it was launched tells nothing.
  const bool captured = op.graph != 0 && op.kind != model::OpKind::kGraph;
  const bool known = op.api != model::kNoIndex && !captured;
  const int64_t time_ns = known ? model_.api_calls[static_cast<size_t>(op.api)].start_ns
                                : std::numeric_limits<int64_t>::max();
  return PartAt(model_.torch.PlaceOf(index).op, op.path, time_ns);
}

StepPart StepParts::OfHost(uint32_t thread, int64_t time_ns) const {
  if (thread == iterations_.front().thread) {
    const auto after = std::upper_bound(
        pieces_.begin(), pieces_.end(), time_ns,
        [](int64_t time, const HostPiece& piece) { return time < piece.start_ns; });
    return after == pieces_.begin() ? StepPart::kNotKnown : (after - 1)->part;
  }
  return PartAt(PathAt(model_.torch.steps, thread, time_ns), PathAt(model_.steps, thread, time_ns),
                time_ns);
}

// The moments at which anything changes, in order; then what the thread was in.
void StepParts::FindPieces() {
  const uint32_t thread = iterations_.front().thread;
  static const auto& kNoSteps = *new StepTable;
  const auto of = [&](const std::vector<StepTable>& steps) -> const auto& {
    return thread < steps.size() ? steps[thread] : kNoSteps;
  };
  const StepTable &ops = of(model_.torch.steps), &ranges = of(model_.steps);
  std::vector<int64_t> times;
  times.reserve(ops.size() + ranges.size() + 2 * engine_.intervals().size() + iterations_.size());
  for (size_t i = 0; i < ops.size(); ++i) times.push_back(ops[i].time_ns());
  for (size_t i = 0; i < ranges.size(); ++i) times.push_back(ranges[i].time_ns());
  for (const Interval& interval : engine_.intervals()) {
    times.push_back(interval.start_ns);
    times.push_back(interval.end_ns);
  }
  // An op that goes on in the next step may be of another part there.
  for (const model::RangeInstance& range : iterations_) times.push_back(range.end_ns);
  std::sort(times.begin(), times.end());
  size_t next_op = 0, next_range = 0, next_engine = 0;
  for (const int64_t time_ns : times) {
    while (next_op < ops.size() && ops[next_op].time_ns() <= time_ns) ++next_op;
    while (next_range < ranges.size() && ranges[next_range].time_ns() <= time_ns) ++next_range;
    const Intervals& engine = engine_.intervals();
    while (next_engine < engine.size() && engine[next_engine].end_ns <= time_ns) ++next_engine;
    StepPart part = PartAt(next_op == 0 ? kNone : ops[next_op - 1].path(),
                           next_range == 0 ? kNone : ranges[next_range - 1].path(), time_ns);
    // The thread has called the engine, and waits for it.
    const bool engine_runs = next_engine < engine.size() && engine[next_engine].start_ns <= time_ns;
    if (part == StepPart::kNotKnown && engine_runs) part = StepPart::kBackward;
    if (pieces_.empty() || pieces_.back().part != part) pieces_.push_back({time_ns, part});
  }
}

// The code of the program between two ops of one part is of this part too.
void StepParts::FillBetweenOps() {
  if (!model_.torch.recorded()) return;
  std::vector<HostPiece> filled;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    HostPiece piece = pieces_[i];
    const bool between = piece.part == StepPart::kNotKnown && i > 0 && i + 1 < pieces_.size() &&
                         pieces_[i - 1].part == pieces_[i + 1].part &&
                         StepAt(piece.start_ns) == StepAt(pieces_[i + 1].start_ns);
    if (between) piece.part = pieces_[i - 1].part;
    if (filled.empty() || filled.back().part != piece.part) filled.push_back(piece);
  }
  pieces_ = std::move(filled);
}

void StepParts::VisitHost(const Interval& interval,
                          const std::function<void(int64_t, int64_t, StepPart)>& visit) const {
  auto next =
      std::upper_bound(pieces_.begin(), pieces_.end(), interval.start_ns,
                       [](int64_t time, const HostPiece& piece) { return time < piece.start_ns; });
  StepPart part = next == pieces_.begin() ? StepPart::kNotKnown : (next - 1)->part;
  int64_t from_ns = interval.start_ns;
  for (; next != pieces_.end() && next->start_ns < interval.end_ns; ++next) {
    visit(from_ns, next->start_ns, part);
    from_ns = next->start_ns;
    part = next->part;
  }
  if (from_ns < interval.end_ns) visit(from_ns, interval.end_ns, part);
}

void StepParts::VisitThread(uint32_t thread, const Interval& interval,
                            const std::function<void(int64_t, int64_t, StepPart)>& visit) const {
  if (thread == iterations_.front().thread) return VisitHost(interval, visit);
  visit(interval.start_ns, interval.end_ns, OfHost(thread, interval.start_ns));
}

}  // namespace prof::analyzer
