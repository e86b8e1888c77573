// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/launch_periods.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/base/thresholds.h"

namespace prof::analyzer {
namespace {

// [own] A thread with less than a tenth of the launches, or of the GPU's time, of another one helps
// it: copies of the input.
constexpr double kLeastOfMain = 0.10;

using model::ApiCall;
using model::Op;

// What a call launches.
struct LaunchKind {
  bool launches = true, graph = false;
  bool host = false;  // something goes from or to the host, or the host waits
  bool ends =
      false;  // the host waits, or gets something: a loop ends with that more than it begins
};

// What a thread launched and waited for, in the order of time.
struct LaunchList {
  std::vector<uint32_t> kinds;
  std::vector<int32_t> calls;  // indices into Model::api_calls
  // Before each entry, and behind the last one: the time of the operations until then.
  std::vector<int64_t> gpu_ns{0};
};

struct AllLaunches {
  std::vector<LaunchKind> kinds{LaunchKind{}};  // number 0: none
  std::vector<LaunchList> of_thread;
};

bool IsOfHost(model::MemoryKind memory) {
  return memory == model::MemoryKind::kPageable || memory == model::MemoryKind::kPinned;
}

// Numbers the kinds of launches.
class KindNumbers {
 public:
  KindNumbers(const model::Model& model, std::vector<LaunchKind>* kinds)
      : model_(model), kinds_(*kinds), of_shape_(model.shapes.size()) {}

  uint32_t OfOperation(const Op& op) {
    if (op.graph != 0) return Number(&graphs_, op.graph, {true, true});
    switch (op.kind) {
      case model::OpKind::kKernel:
        return OfKernel(op.shape);
      case model::OpKind::kCopy: {
        const bool host = IsOfHost(op.source) || IsOfHost(op.destination);
        return Number(&copies_, 2 * static_cast<uint32_t>(op.copy) + (host ? 1 : 0),
                      {true, false, host, IsOfHost(op.destination)});
      }
      case model::OpKind::kMemset:
      case model::OpKind::kGraph:
        break;
    }
    return Number(&others_, static_cast<uint32_t>(op.kind), {});
  }
  uint32_t OfWait(const ApiCall& call) {
    return Number(&waits_, call.name, {false, false, true, true});
  }

 private:
  using Numbers = std::unordered_map<uint32_t, uint32_t>;

  uint32_t Add(LaunchKind kind) {
    kinds_.push_back(kind);
    return static_cast<uint32_t>(kinds_.size() - 1);
  }
  uint32_t Number(Numbers* numbers, uint32_t key, LaunchKind kind) {
    const auto [at, added] = numbers->try_emplace(key, 0);
    if (added) at->second = Add(kind);
    return at->second;
  }
  // By name: the grid of a kernel may grow from step to step.
  uint32_t OfKernel(uint32_t shape) {
    uint32_t& number = of_shape_[shape];
    if (number != 0) return number;
    const auto [at, added] = by_name_.try_emplace(model_.shapes[shape].name, 0);
    if (added) at->second = Add({});
    number = at->second;
    return number;
  }

  const model::Model& model_;
  std::vector<LaunchKind>& kinds_;
  std::vector<uint32_t> of_shape_;
  std::unordered_map<std::string_view, uint32_t> by_name_;
  Numbers graphs_, copies_, waits_, others_;
};

AllLaunches ListLaunches(const model::Model& model) {
  AllLaunches all;
  KindNumbers numbers(model, &all.kinds);
  struct OfCall {
    uint32_t number = 0;
    int64_t gpu_ns = 0;
  };
  std::vector<OfCall> of_call(model.api_calls.size());
  for (const Op& op : model.ops) {
    if (op.api == model::kNoIndex) continue;
    OfCall& call = of_call[static_cast<size_t>(op.api)];
    if (call.number == 0) call.number = numbers.OfOperation(op);
    if (op.timed) call.gpu_ns += op.end_ns - op.start_ns;
  }
  all.of_thread.resize(model.threads.size());
  int32_t index = -1;
  for (const ApiCall& call : model.api_calls) {
    ++index;
    auto [number, gpu_ns] = of_call[static_cast<size_t>(index)];
    if (number == 0 && call.cls == model::ApiClass::kSync) number = numbers.OfWait(call);
    if (number == 0 || call.thread >= all.of_thread.size()) continue;
    LaunchList& list = all.of_thread[call.thread];
    list.kinds.push_back(number);
    list.calls.push_back(index);
    list.gpu_ns.push_back(list.gpu_ns.back() + gpu_ns);
  }
  return all;
}

// Hashes of any part of a list, each in the logarithm of its length.
class PartHashes {
 public:
  explicit PartHashes(const std::vector<uint32_t>& kinds) {
    until_.reserve(kinds.size() + 1);
    for (const uint32_t kind : kinds) until_.push_back(until_.back() * kBase + kind);
  }
  uint64_t Of(size_t begin, size_t end) {
    if (end - begin != length_) {
      length_ = end - begin;
      power_ = Power(length_);
    }
    return until_[end] - until_[begin] * power_;
  }

 private:
  static constexpr uint64_t kBase = 0x9e3779b97f4a7c15;  // odd, and of no pattern

  static uint64_t Power(size_t exponent) {
    uint64_t result = 1;
    for (uint64_t square = kBase; exponent > 0; exponent /= 2, square *= square) {
      if (exponent % 2 != 0) result *= square;
    }
    return result;
  }

  std::vector<uint64_t> until_{0};
  size_t length_ = 0;
  uint64_t power_ = 1;
};

// A stretch whose turns begin at some of the places of one kind.
struct FoundTurns {
  uint32_t thread = 0, kind = 0;
  size_t first = 0, last = 0;  // numbers of its turns among the places of the kind
  size_t length = 0;           // of nearly every turn, in entries of the list
  size_t same = 0;             // turns that are alike
  size_t begin = 0;            // its first entry, and that of a turn that is as nearly all are
  bool closed = false;         // behind the last one comes another one that is alike
  bool host = false;           // the host copies or waits in nearly every turn
  size_t end = 0;              // behind its last entry
  bool ends = false;           // its turns begin with what ends a loop
  int64_t alike_ns = 0;        // of the GPU, without the turns that differ

  size_t Turns() const { return last - first + 1 + (closed ? 1 : 0); }
  size_t Different() const { return last - first + 1 - same; }
};

// The places of one kind in the list of a thread.
struct KindPlaces {
  const uint32_t* begin = nullptr;
  size_t count = 0;

  size_t Length(size_t turn) const { return begin[turn + 1] - begin[turn]; }
};

class StretchSearch {
 public:
  StretchSearch(const model::Model& model, const AllLaunches& all, uint32_t thread)
      : model_(model),
        all_(all),
        thread_(thread),
        list_(all.of_thread[thread]),
        hashes_(list_.kinds) {
    SortPlaces();
  }

  std::vector<FoundTurns> All() {
    std::vector<FoundTurns> found;
    for (uint32_t kind = 1; kind < all_.kinds.size(); ++kind) {
      const KindPlaces places = PlacesOfKind(kind);
      if (static_cast<double>(places.count) >= kEnoughSteps) Search(kind, places, &found);
    }
    return found;
  }

  LaunchStretch Describe(const FoundTurns& found) const {
    const KindPlaces places = PlacesOfKind(found.kind);
    LaunchStretch stretch;
    stretch.thread = thread_;
    stretch.different = found.Different();
    stretch.launches = CountIn(found, [](const LaunchKind& kind) { return kind.launches; });
    int64_t begin_ns = CallAt(found.begin).start_ns;
    const auto add = [&](size_t behind) {
      const int64_t end_ns = std::max(begin_ns, CallAt(behind - 1).end_ns);
      stretch.turns.push_back({begin_ns, end_ns});
      begin_ns = end_ns;
    };
    for (size_t turn = found.first; turn <= found.last; ++turn) add(places.begin[turn + 1]);
    if (found.closed) add(places.begin[found.last + 1] + found.length);
    return stretch;
  }

 private:
  struct Turn {
    uint64_t hash;
    uint32_t number;
  };

  ApiCall CallAt(size_t entry) const {
    return model_.api_calls[static_cast<size_t>(list_.calls[entry])];
  }

  void SortPlaces() {
    begins_.resize(all_.kinds.size() + 1);
    for (const uint32_t kind : list_.kinds) ++begins_[kind + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    places_.resize(list_.kinds.size());
    std::vector<size_t> next(begins_.begin(), begins_.end() - 1);
    for (size_t i = 0; i < list_.kinds.size(); ++i) {
      places_[next[list_.kinds[i]]++] = static_cast<uint32_t>(i);
    }
  }
  KindPlaces PlacesOfKind(uint32_t kind) const {
    return {places_.data() + begins_[kind], begins_[kind + 1] - begins_[kind]};
  }

  // Turns that are alike, by their number, for each way to be alike.
  void Search(uint32_t kind, const KindPlaces& places, std::vector<FoundTurns>* found) {
    turns_.clear();
    for (size_t turn = 0; turn + 1 < places.count; ++turn) {
      turns_.push_back(
          {hashes_.Of(places.begin[turn], places.begin[turn + 1]), static_cast<uint32_t>(turn)});
    }
    std::sort(turns_.begin(), turns_.end(), [](const Turn& a, const Turn& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.number < b.number;
    });
    for (auto begin = turns_.begin(); begin != turns_.end();) {
      const auto end = std::find_if(begin, turns_.end(),
                                    [&](const Turn& turn) { return turn.hash != begin->hash; });
      // The last turn of the run has no end yet.
      if (static_cast<double>(end - begin) + 1 >= kEnoughSteps) {
        FoundTurns stretch = Longest({begin, end}, places);
        Complete(kind, places, &stretch);
        if (IsLoop(stretch)) found->push_back(stretch);
      }
      begin = end;
    }
  }

  // The part of the row in which nearly all turns are `alike`, and with most of them. One that
  // differs weighs as much as all that have to be alike beside it.
  static FoundTurns Longest(const std::vector<Turn>& alike, const KindPlaces& places) {
    constexpr double kOneDiffers = kMostOf / (1 - kMostOf);
    const size_t length = places.Length(alike.front().number);
    FoundTurns best, now;
    double score = 0;
    for (size_t i = 0; i < alike.size(); ++i) {
      const size_t turn = alike[i].number;
      const size_t between = i == 0 ? 0 : turn - alike[i - 1].number - 1;
      score -= kOneDiffers * static_cast<double>(between);
      if (i == 0 || score <= 0 || IsAnotherPhase(places, turn - between, turn, length)) {
        score = 0;
        now.first = turn;
        now.same = 0;
      }
      ++score;
      ++now.same;
      now.last = turn;
      if (now.same > best.same) best = now;
    }
    best.length = length;
    return best;
  }

  // What launches as much as makes a stretch is no turn of one.
  static bool IsAnotherPhase(const KindPlaces& places, size_t begin, size_t end, size_t length) {
    for (size_t turn = begin; turn < end; ++turn) {
      const auto turns = static_cast<double>(places.Length(turn)) / static_cast<double>(length);
      if (turns > kEnoughSteps) return true;
    }
    return false;
  }

  void Complete(uint32_t kind, const KindPlaces& places, FoundTurns* found) {
    found->thread = thread_;
    found->kind = kind;
    found->begin = places.begin[found->first];
    const size_t behind = places.begin[found->last + 1];
    const uint64_t alike = hashes_.Of(found->begin, found->begin + found->length);
    found->closed = behind + found->length <= list_.kinds.size() &&
                    hashes_.Of(behind, behind + found->length) == alike;
    found->host = CountIn(*found, [](const LaunchKind& is) { return is.host; }) > 0;
    found->end = found->closed ? behind + found->length : behind;
    found->ends = all_.kinds[kind].ends;
    found->alike_ns = list_.gpu_ns[found->end] - list_.gpu_ns[found->begin];
    if (found->Different() == 0) return;
    for (size_t turn = found->first; turn <= found->last; ++turn) {
      const size_t from = places.begin[turn], to = places.begin[turn + 1];
      if (hashes_.Of(from, to) == alike) continue;
      found->alike_ns -= list_.gpu_ns[to] - list_.gpu_ns[from];
    }
  }

  // Whether the turns can be steps.
  bool IsLoop(const FoundTurns& found) const {
    const size_t turns = found.same + (found.closed ? 1 : 0);
    if (static_cast<double>(turns) < kEnoughSteps) return false;
    const size_t launches = CountIn(found, [](const LaunchKind& kind) { return kind.launches; });
    if (found.host) return launches > 0;
    const bool graph = CountIn(found, [](const LaunchKind& kind) { return kind.graph; }) > 0;
    return found.Different() == 0 && (launches > 1 || graph);
  }

  // Of the launches and waits of a turn that is as nearly all are.
  template <typename Is>
  size_t CountIn(const FoundTurns& found, Is is) const {
    const auto begin = list_.kinds.begin() + static_cast<ptrdiff_t>(found.begin);
    return static_cast<size_t>(std::count_if(begin, begin + static_cast<ptrdiff_t>(found.length),
                                             [&](uint32_t kind) { return is(all_.kinds[kind]); }));
  }

  const model::Model& model_;
  const AllLaunches& all_;
  const uint32_t thread_;
  const LaunchList& list_;
  PartHashes hashes_;
  std::vector<size_t> begins_;    // by kind, in places_
  std::vector<uint32_t> places_;  // by kind, ascending
  std::vector<Turn> turns_;
};

// Of the same thread. The outermost loop; of its launches as the anchor the one with fewest turns
// that differ, and of these the first, but what ends a loop last: before the loop there may be
// another one that ends alike.
bool IsBetter(const FoundTurns& a, const FoundTurns& b) {
  if (a.length != b.length) return a.length > b.length;
  if (a.Different() != b.Different()) return a.Different() < b.Different();
  if (a.ends != b.ends) return b.ends;
  if (a.Turns() != b.Turns()) return a.Turns() > b.Turns();
  return a.begin < b.begin;
}

// Whether it has enough of the GPU's time of its thread: the host may have launched all of it in a
// moment. Without a sign of the host the turns may be the layers of a network that runs once or
// twice: the run has to consist of nothing else.
bool HasEnough(const FoundTurns& found, double thread_ns) {
  const double least = found.host ? kLeastTurnsOfRun : kNearlyAllTurns;
  return static_cast<double>(found.alike_ns) >= least * thread_ns;
}

// The best of those that have nearly as much of the run as the one with most; nullptr: there is
// none.
const FoundTurns* BestOf(const std::vector<const FoundTurns*>& found) {
  int64_t most_ns = 0;
  for (const FoundTurns* stretch : found) most_ns = std::max(most_ns, stretch->alike_ns);
  const FoundTurns* best = nullptr;
  for (const FoundTurns* stretch : found) {
    const auto alike_ns = static_cast<double>(stretch->alike_ns);
    if (alike_ns < kNearlyAllTurns * static_cast<double>(most_ns)) continue;
    if (best == nullptr || IsBetter(*stretch, *best)) best = stretch;
  }
  return best;
}

}  // namespace

std::vector<LaunchStretch> FindLaunchStretches(const model::Model& model) {
  std::vector<LaunchStretch> stretches;
  const AllLaunches all = ListLaunches(model);
  size_t most = 0;
  int64_t most_ns = 0;
  for (const LaunchList& list : all.of_thread) {
    most = std::max(most, list.kinds.size());
    most_ns = std::max(most_ns, list.gpu_ns.back());
  }
  for (uint32_t thread = 0; thread < all.of_thread.size(); ++thread) {
    const LaunchList& list = all.of_thread[thread];
    const auto thread_ns = static_cast<double>(list.gpu_ns.back());
    const bool helps =
        static_cast<double>(list.kinds.size()) < kLeastOfMain * static_cast<double>(most) ||
        thread_ns < kLeastOfMain * static_cast<double>(most_ns);
    if (helps || list.kinds.empty()) continue;
    StretchSearch search(model, all, thread);
    const std::vector<FoundTurns> found = search.All();
    std::vector<const FoundTurns*> left;
    for (const FoundTurns& stretch : found) {
      if (HasEnough(stretch, thread_ns)) left.push_back(&stretch);
    }
    while (const FoundTurns* best = BestOf(left)) {
      stretches.push_back(search.Describe(*best));
      left.erase(std::remove_if(left.begin(), left.end(),
                                [best](const FoundTurns* other) {
                                  return other->begin < best->end && best->begin < other->end;
                                }),
                 left.end());
    }
    if (!stretches.empty()) return stretches;
  }
  return stretches;
}

}  // namespace prof::analyzer
