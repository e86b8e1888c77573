// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/steps/step_path.h"

#include <algorithm>

namespace prof::analyzer {
namespace {

using model::ApiCall;
using model::ApiClass;
using model::kNoIndex;
using model::Op;
using model::TorchScope;

// [own] An operation that starts later than this after its launch call has returned was held back
// on the GPU: an idle one starts it within a few microseconds, a graph within some more.
constexpr int64_t kPromptNs = 4 * kLaunchLatencyNs;
// What ended last is looked for among so many operations; others of the same moment are no better.
constexpr int kMostLooks = 16;

}  // namespace

void PathEdges::Add(const PathEdges& other) {
  recorded += other.recorded;
  streams += other.streams;
  waits += other.waits;
  threads += other.threads;
  unknown += other.unknown;
}

StepPaths::StepPaths(const model::Model& model, const StepParts& parts, uint32_t thread)
    : model_(model), parts_(parts), thread_(thread), calls_(model), links_(LinkOperations(model)) {
  FindEnds();
  FindWaits();
}

void StepPaths::FindEnds() {
  for (size_t i = 0; i < model_.ops.size(); ++i) {
    const Op op = model_.ops[i];
    if (!op.timed) break;  // they are last
    const Ended ended{op.end_ns, static_cast<int32_t>(i)};
    device_ends_[op.device].push_back(ended);
    stream_ends_[{op.context, op.stream}].push_back(ended);
    const bool waited_for = op.api != kNoIndex && calls_.BlocksHost(static_cast<size_t>(op.api));
    if (waited_for) own_work_[op.api] = static_cast<int32_t>(i);
  }
  const auto by_end = [](const Ended& a, const Ended& b) { return a.end_ns < b.end_ns; };
  const auto sort = [&](EndList* list) {
    if (!std::is_sorted(list->begin(), list->end(), by_end)) {
      std::stable_sort(list->begin(), list->end(), by_end);
    }
  };
  for (auto& [device, list] : device_ends_) sort(&list);
  for (auto& [stream, list] : stream_ends_) sort(&list);
}

void StepPaths::FindWaits() {
  for (size_t i = 0; i < model_.syncs.size(); ++i) syncs_[model_.syncs[i].correlation] = i;
  const std::vector<bool>& threads = parts_.backward_threads();
  for (uint32_t thread = 0; thread < threads.size(); ++thread) {
    if (threads[thread] && thread != thread_) engine_threads_.push_back(thread);
  }
  if (engine_threads_.empty()) return;
  calls_of_.resize(model_.threads.size());
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {
    calls_of_[model_.api_calls[i].thread].push_back(static_cast<int32_t>(i));
  }
}

// The first one that ended after a moment.
StepPaths::EndList::const_iterator StepPaths::After(const EndList& list, int64_t time_ns) {
  return std::upper_bound(list.begin(), list.end(), time_ns,
                          [](int64_t time, const Ended& ended) { return time < ended.end_ns; });
}

// The last one that had ended at a moment.
StepPaths::Ended StepPaths::LastEnded(const EndList& list, int64_t time_ns) {
  const auto after = After(list, time_ns);
  return after == list.begin() ? Ended{} : *(after - 1);
}

// False: the path has reached the begin of the step.
bool StepPaths::Emit(PathPiece piece, int64_t begin_ns, const Sink& sink) const {
  piece.from_ns = std::max(piece.from_ns, begin_ns);
  if (piece.from_ns < piece.to_ns) sink(piece);
  return piece.from_ns > begin_ns;
}

PathEdges StepPaths::Walk(int32_t last, int64_t begin_ns, const Sink& sink) {
  edges_ = {};
  Place place;
  place.until_ns = EndOf(last);
  place.op = last;
  // Each turn goes back in time, or to an earlier record. Times that contradict each other must not
  // keep it here.
  size_t turns = 2 * (model_.ops.size() + model_.api_calls.size()) + 2;
  while (place.until_ns > begin_ns && turns-- > 0) {
    Place next = place.op != kNoIndex ? BeforeOperation(place, begin_ns, sink)
                                      : BeforeCall(place, begin_ns, sink);
    next.until_ns = std::min(next.until_ns, place.until_ns);
    place = next;
  }
  Emit({PathWork::kNoCause, begin_ns, place.until_ns, place.op, place.next, place.thread}, begin_ns,
       sink);
  return edges_;
}

// The node that a node of the same launch of a graph followed; kNoIndex: it was the first.
int32_t StepPaths::InGraph(const Op& op, int32_t in_stream) const {
  if (op.graph == 0 || op.kind == model::OpKind::kGraph) return kNoIndex;
  const auto same = [&](int32_t index) {
    return model_.ops.correlation(static_cast<size_t>(index)) == op.correlation;
  };
  if (in_stream != kNoIndex && same(in_stream) && IsChain(model_, in_stream, op)) return in_stream;
  const EndList& list = device_ends_.at(op.device);
  auto at = After(list, op.start_ns);
  for (int look = 0; look < kMostLooks && at != list.begin(); ++look) {
    --at;
    const bool earlier = model_.ops[static_cast<size_t>(at->op)].start_ns < op.start_ns;
    if (earlier && same(at->op)) return at->op;
  }
  return in_stream != kNoIndex && same(in_stream) ? in_stream : kNoIndex;
}

// The operation of another stream that ended just before this one began.
int32_t StepPaths::OtherStream(const Op& op, int32_t index) const {
  const EndList& list = device_ends_.at(op.device);
  auto at = After(list, op.start_ns);
  for (int look = 0; look < kMostLooks && at != list.begin(); ++look) {
    --at;
    if (at->end_ns < op.start_ns - kChainedNs) return kNoIndex;
    if (at->op < index) return at->op;
  }
  return kNoIndex;
}

PathWork StepPaths::WorkOf(const ApiCall& call) {
  const bool launches = call.cls == ApiClass::kLaunch || call.cls == ApiClass::kGraphLaunch;
  if (!launches) return PathWork::kCall;
  return call.loads_code ? PathWork::kLoading : PathWork::kLaunch;
}

// Before a call.
StepPaths::Place StepPaths::OnHost(int32_t call, int64_t until_ns) const {
  const auto index = static_cast<size_t>(call);
  return {until_ns, kNoIndex, model_.api_calls[index].thread, calls_.PreviousCall(index), call};
}

StepPaths::Place StepPaths::AtLaunch(const Place& place, int32_t index, int64_t begin_ns,
                                     const Sink& sink) {
  const ApiCall call = model_.api_calls[static_cast<size_t>(index)];
  ++edges_.recorded;
  Emit({WorkOf(call), call.start_ns, place.until_ns, place.op, index, call.thread}, begin_ns, sink);
  return OnHost(index, std::min(place.until_ns, call.start_ns));
}

StepPaths::Place StepPaths::BeforeOperation(const Place& place, int64_t begin_ns,
                                            const Sink& sink) {
  const auto index = static_cast<size_t>(place.op);
  const Op op = model_.ops[index];
  const int32_t in_stream = links_.in_stream[index];
  const bool chain = IsChain(model_, in_stream, op);
  int64_t start_ns = op.start_ns;
  // Where two of a chain overlap, the first one has the time, as in Timeline::exclusive_ns.
  if (chain) start_ns = std::max(start_ns, EndOf(in_stream));
  start_ns = std::min(start_ns, place.until_ns);
  if (!Emit({PathWork::kOperation, start_ns, place.until_ns, place.op, kNoIndex, 0}, begin_ns,
            sink)) {
    return {begin_ns};
  }
  const auto follow = [&](PathWork work, int32_t before) {
    const int64_t end_ns = std::min(EndOf(before), start_ns);
    Emit({work, end_ns, start_ns, place.op, kNoIndex, 0}, begin_ns, sink);
    return Place{end_ns, before};
  };
  const Place here{start_ns, place.op};
  const int32_t in_graph = InGraph(op, in_stream);
  if (in_graph != kNoIndex) {
    ++edges_.recorded;
    return follow(PathWork::kNextInStream, in_graph);
  }
  int32_t launch = op.api;
  if (launch != kNoIndex) {
    const ApiCall call = model_.api_calls[static_cast<size_t>(launch)];
    // The rule of GapClassifier::QueuedInTime: a launch that came before the GPU ran dry is no
    // reason for a later start.
    const bool queued = in_stream != kNoIndex &&
                        call.start_ns + kLaunchLatencyNs < EndOf(in_stream) && !call.loads_code;
    if (queued || call.start_ns > start_ns) launch = kNoIndex;
    if (launch != kNoIndex && start_ns - call.end_ns <= kPromptNs) {
      return AtLaunch(here, launch, begin_ns, sink);
    }
  }
  if (chain) {
    ++edges_.recorded;
    return follow(PathWork::kNextInStream, in_stream);
  }
  const int32_t other = OtherStream(op, place.op);
  if (other != kNoIndex) {
    ++edges_.streams;
    return follow(PathWork::kOtherStream, other);
  }
  ++edges_.unknown;
  const Ended last = LastEnded(device_ends_.at(op.device), start_ns);
  if (launch != kNoIndex) {
    const ApiCall call = model_.api_calls[static_cast<size_t>(launch)];
    if (last.op == kNoIndex || call.end_ns >= last.end_ns) {
      Emit({PathWork::kNoCause, call.end_ns, start_ns, place.op, kNoIndex, 0}, begin_ns, sink);
      return AtLaunch({std::min(call.end_ns, start_ns), place.op}, launch, begin_ns, sink);
    }
  }
  if (last.op != kNoIndex && last.op < place.op) return follow(PathWork::kNoCause, last.op);
  Emit({PathWork::kNoCause, begin_ns, start_ns, place.op, kNoIndex, 0}, begin_ns, sink);
  return {begin_ns};
}

// The last one that had ended at a moment, of the context; 0: of all.
StepPaths::Ended StepPaths::LastEndedIn(uint32_t context, int64_t time_ns) const {
  Ended latest;
  for (const auto& [stream, list] : stream_ends_) {
    if (context != 0 && stream.first != context) continue;
    const Ended ended = LastEnded(list, time_ns);
    if (latest.op == kNoIndex || ended.end_ns > latest.end_ns) latest = ended;
  }
  return latest;
}

// What ended the wait of a call; `recorded`: by a record, not by time alone.
StepPaths::Ended StepPaths::WaitedFor(int32_t index, const ApiCall& call, bool* recorded) const {
  *recorded = true;
  const auto own = own_work_.find(index);
  if (own != own_work_.end()) return {EndOf(own->second), own->second};
  const int64_t until_ns = call.end_ns + kClockSlackNs;
  const auto sync = syncs_.find(call.correlation);
  if (sync == syncs_.end()) {
    *recorded = false;
    return LastEndedIn(0, until_ns);
  }
  const model::Sync& known = model_.syncs[sync->second];
  const auto stream = stream_ends_.find({known.context, known.stream});
  if (known.kind == model::SyncKind::kStream && stream != stream_ends_.end()) {
    const Ended ended = LastEnded(stream->second, until_ns);
    if (ended.op != kNoIndex && ended.end_ns > call.start_ns) return ended;
  }
  *recorded = known.kind == model::SyncKind::kContext && known.context != 0;
  return LastEndedIn(known.context, until_ns);
}

// True while the thread is in an op; record_function of the program is around anything.
bool StepPaths::InOp(uint32_t thread, int64_t time_ns) const {
  const TorchScope scope = model_.paths[PathAt(model_.torch.steps, thread, time_ns)].torch;
  return scope == TorchScope::kFunction || scope == TorchScope::kBackward;
}

int32_t StepPaths::CallBefore(uint32_t thread, int64_t time_ns) const {
  const std::vector<int32_t>& list = calls_of_[thread];
  const auto after =
      std::lower_bound(list.begin(), list.end(), time_ns, [&](int32_t call, int64_t time) {
        return model_.api_calls[static_cast<size_t>(call)].start_ns < time;
      });
  return after == list.begin() ? kNoIndex : *(after - 1);
}

// A thread that is in no op and no call may wait for the autograd engine, or the engine for it:
// then the other one has left an op meanwhile. `until_ns` is -1 where it has not.
StepPaths::Place StepPaths::OtherThread(const Place& place, int64_t from_ns) const {
  Place found{-1};
  const bool engine = place.thread != thread_;
  if (engine && !parts_.backward_threads()[place.thread]) return found;
  const std::vector<uint32_t> others = engine ? std::vector<uint32_t>{thread_} : engine_threads_;
  for (const uint32_t thread : others) {
    const model::StepTable& steps = model_.torch.steps[thread];
    size_t at = StepsUntil(steps, place.until_ns - 1);  // those before `until_ns`
    while (at > 0 && steps[at - 1].time_ns() > from_ns) {
      --at;
      const int64_t time_ns = steps[at].time_ns();
      const bool left = !InOp(thread, time_ns) && InOp(thread, time_ns - 1);
      if (!left || InOp(place.thread, time_ns)) continue;
      if (time_ns > found.until_ns) {
        found = {time_ns, kNoIndex, thread, CallBefore(thread, time_ns), kNoIndex};
      }
      break;
    }
  }
  return found;
}

// Back over the calls of the thread, to the first one that had waited for the GPU.
StepPaths::Place StepPaths::BeforeCall(const Place& place, int64_t begin_ns, const Sink& sink) {
  ApiCall call;
  const auto index = static_cast<size_t>(place.before);
  if (place.before != kNoIndex) call = model_.api_calls[index];
  const int64_t since_ns =
      place.before == kNoIndex ? begin_ns : std::min(call.end_ns, place.until_ns);
  const auto code = [&](int64_t from_ns) {
    Emit({PathWork::kHostCode, from_ns, place.until_ns, kNoIndex, place.next, place.thread},
         begin_ns, sink);
  };
  if (!engine_threads_.empty()) {
    const Place other = OtherThread(place, std::max(since_ns, begin_ns));
    if (other.until_ns > since_ns) {
      ++edges_.threads;
      code(other.until_ns);
      return other;
    }
  }
  code(since_ns);
  if (since_ns <= begin_ns) return {begin_ns};
  if (calls_.BlocksHost(index)) {
    bool recorded = false;
    const Ended ended = WaitedFor(place.before, call, &recorded);
    if (ended.op != kNoIndex && ended.end_ns > call.start_ns) {
      ++(recorded ? edges_.recorded : edges_.waits);
      const int64_t end_ns = std::min(ended.end_ns, since_ns);
      // What takes longer than a wake-up is the call's own work: it frees memory, it copies.
      const bool returns = since_ns - end_ns <= kPromptNs;
      Emit({returns ? PathWork::kReturn : PathWork::kCall, end_ns, since_ns, ended.op, place.before,
            call.thread},
           begin_ns, sink);
      return {end_ns, ended.op};
    }
  }
  const int64_t start_ns = std::min(call.start_ns, since_ns);
  Emit({WorkOf(call), start_ns, since_ns, kNoIndex, place.before, call.thread}, begin_ns, sink);
  return OnHost(place.before, start_ns);
}

}  // namespace prof::analyzer
