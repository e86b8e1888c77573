// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/steps/step_items.h"

#include <algorithm>
#include <utility>

#include "lib/analyzer/base/communication.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/format/api_names.h"
#include "lib/format/enums.h"

namespace prof::analyzer {
namespace {

using model::HostSample;
using model::kNoIndex;
using model::kNone;
using model::Op;
using model::StepTable;
using model::TorchScope;

// Operations without a group of kernels have ids of their own: memsets, copies by their kind,
// graphs that were recorded as one.
constexpr int64_t kMemset = -1, kFirstCopy = -2, kFirstGraph = -1000;

// The place of the line in StepItems::Key.
constexpr size_t kLineOfKey = 5;

// Of host code: the thread may as well have waited for another one.
constexpr int64_t kMayWait = 1;

// The part with most of the time.
StepPart LongestPart(const std::array<int64_t, kStepParts>& parts_ns) {
  return static_cast<StepPart>(std::max_element(parts_ns.begin(), parts_ns.end()) -
                               parts_ns.begin());
}

std::vector<LimiterTime> LimitersByTime(const std::map<Limiter, int64_t>& limiters_ns) {
  std::vector<LimiterTime> times;
  times.reserve(limiters_ns.size());
  for (const auto& [limiter, time_ns] : limiters_ns) {
    times.push_back({limiter, static_cast<double>(time_ns)});
  }
  std::stable_sort(times.begin(), times.end(), [](const LimiterTime& a, const LimiterTime& b) {
    return a.time_ns > b.time_ns;
  });
  return times;
}

// The moments in an interval at which its thread came to another path, added to `times`.
void AddChanges(const std::vector<StepTable>& steps, const PathPiece& piece,
                std::vector<int64_t>* times) {
  if (piece.thread >= steps.size()) return;
  const StepTable& list = steps[piece.thread];
  for (size_t i = StepsUntil(list, piece.from_ns); i < list.size(); ++i) {
    const int64_t time_ns = list[i].time_ns();
    if (time_ns >= piece.to_ns) return;
    times->push_back(time_ns);
  }
}

}  // namespace

StepItems::Sum StepItems::Sum::Cut(double share) {
  const auto cut = [share](int64_t* from_ns) {
    const auto cut_ns = static_cast<int64_t>(share * static_cast<double>(*from_ns));
    *from_ns -= cut_ns;
    return cut_ns;
  };
  Sum part;
  part.time_ns = cut(&time_ns);
  for (size_t i = 0; i < kStepParts; ++i) part.parts_ns[i] = cut(&parts_ns[i]);
  return part;
}

void StepItems::Sum::Add(const Sum& other) {
  count += other.count;
  time_ns += other.time_ns;
  for (size_t i = 0; i < kStepParts; ++i) parts_ns[i] += other.parts_ns[i];
}

void PathTime::Add(const PathTime& other) {
  for (size_t i = 0; i < kPathKinds; ++i) kinds_ns[i] += other.kinds_ns[i];
  for (size_t i = 0; i < kStepParts; ++i) parts_ns[i] += other.parts_ns[i];
}

StepItems::StepItems(const model::Model& model, const RangeFamilies& families,
                     const KernelGroups& groups, const std::vector<KernelReport>& kernels,
                     const StepParts& parts, std::vector<uint32_t> own_frames)
    : model_(model),
      families_(families),
      groups_(groups),
      kernels_(kernels),
      parts_(parts),
      communicates_(Communicates(model)),
      own_frames_(std::move(own_frames)) {}

StepPathKind StepItems::KindOf(const Op& op) const {
  if (!RunsKernels(op)) return StepPathKind::kCopy;
  const bool kernel = op.kind == model::OpKind::kKernel;
  return kernel && communicates_[op.shape] ? StepPathKind::kCommunication : StepPathKind::kKernel;
}

StepPathKind StepItems::KindOf(const PathPiece& piece) const {
  switch (piece.work) {
    case PathWork::kHostCode:
      return StepPathKind::kHost;
    case PathWork::kCall:
    case PathWork::kLoading:
      return StepPathKind::kCall;
    case PathWork::kLaunch:
      return StepPathKind::kLaunch;
    case PathWork::kOperation:
      return KindOf(model_.ops[static_cast<size_t>(piece.op)]);
    case PathWork::kNextInStream:
    case PathWork::kOtherStream:
    case PathWork::kReturn:
    case PathWork::kNoCause:
      return StepPathKind::kWait;
  }
  return StepPathKind::kWait;
}

// The innermost op that the thread was in, otherwise its range.
StepItems::Place StepItems::PlaceAt(uint32_t thread, int64_t time_ns) const {
  const uint32_t op = PathAt(model_.torch.steps, thread, time_ns);
  const bool in_op =
      model_.paths[op].torch != TorchScope::kNone && model_.paths[op].torch != TorchScope::kOutside;
  if (in_op) return {PlaceKind::kOp, op};
  const uint32_t range = PathAt(model_.steps, thread, time_ns);
  if (range == kNone) return {};
  return {PlaceKind::kRange, families_.of_path[range]};
}

// The frame of Python that made a call.
uint32_t StepItems::LineOfCall(int32_t call) const {
  if (call == kNoIndex || own_frames_.empty()) return kNone;
  return own_frames_[model_.api_calls.stack(static_cast<size_t>(call))];
}

int64_t StepItems::OperationId(int32_t index) const {
  const int32_t group = groups_.group_of_op[static_cast<size_t>(index)];
  if (group != kNoIndex) return group;
  const Op op = model_.ops[static_cast<size_t>(index)];
  if (op.kind == model::OpKind::kMemset) return kMemset;
  if (op.kind == model::OpKind::kCopy) return kFirstCopy - static_cast<int64_t>(op.copy);
  return kFirstGraph - static_cast<int64_t>(op.graph);
}

std::string StepItems::OperationName(int64_t id) const {
  if (id >= 0) return kernels_[static_cast<size_t>(id)].name;
  if (id == kMemset) return "memset";
  if (id <= kFirstGraph) return "CUDA graph " + std::to_string(kFirstGraph - id);
  return std::string("copy ") + format::Name(static_cast<model::CopyKind>(kFirstCopy - id));
}

int64_t StepItems::IdOf(const PathPiece& piece) const {
  switch (piece.work) {
    case PathWork::kOperation:
      return OperationId(piece.op);
    case PathWork::kCall:
    case PathWork::kLoading:
    case PathWork::kLaunch:
    case PathWork::kReturn:
      return model_.api_calls[static_cast<size_t>(piece.call)].name;
    case PathWork::kHostCode:
      return OthersCalled(piece) ? kMayWait : 0;
    case PathWork::kNextInStream:
    case PathWork::kOtherStream:
    case PathWork::kNoCause:
      break;
  }
  return 0;
}

// True where another thread made a CUDA call meanwhile, for long enough to be waited for.
bool StepItems::OthersCalled(const PathPiece& piece) const {
  if (piece.to_ns - piece.from_ns < kHostStallNs) return false;
  // The first call that begins in the piece; the thread of the piece has none in it.
  size_t first = 0, end = model_.api_calls.size();
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (model_.api_calls[middle].start_ns < piece.from_ns) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == model_.api_calls.size()) return false;
  const model::ApiCall call = model_.api_calls[first];
  return call.start_ns < piece.to_ns && call.thread != piece.thread;
}

void StepItems::AddTime(const PathPiece& piece, StepPathKind kind, StepPart part, PathTime* time) {
  const int64_t length_ns = piece.to_ns - piece.from_ns;
  time->kinds_ns[static_cast<size_t>(kind)] += length_ns;
  time->parts_ns[static_cast<size_t>(part)] += length_ns;
}

StepItems::Sum StepItems::SumOf(const PathPiece& piece, StepPart part) {
  Sum sum;
  sum.count = 1;
  sum.time_ns = piece.to_ns - piece.from_ns;
  sum.parts_ns[static_cast<size_t>(part)] = sum.time_ns;
  return sum;
}

StepItems::Key StepItems::KeyOf(const PathPiece& piece, int64_t id, const Place& place) const {
  return {piece.work, id, place.kind, place.path, LineOf::kCall, LineOfCall(piece.call)};
}

// The samples of its thread; none where no stack is known.
StepItems::Samples StepItems::SamplesIn(const PathPiece& piece) const {
  if (own_frames_.empty() || model_.host_samples.empty()) return {};
  using Moment = std::pair<uint32_t, int64_t>;  // thread, time
  const HostSample* const begin = model_.host_samples.data();
  const HostSample* const end = begin + model_.host_samples.size();
  const auto at = [&](int64_t time_ns) {
    return std::lower_bound(begin, end, Moment(piece.thread, time_ns),
                            [](const HostSample& sample, const Moment& moment) {
                              return Moment(sample.thread, sample.time_ns) < moment;
                            });
  };
  return {at(piece.from_ns), at(piece.to_ns)};
}

// Code between two calls may go through several ops and ranges.
void StepItems::AddHostCode(const PathPiece& piece, bool counts, PathTime* time) {
  const int64_t id = IdOf(piece);
  const Samples samples = SamplesIn(piece);
  const bool sampled = samples.first != samples.second;
  std::vector<int64_t> times{piece.from_ns};
  AddChanges(model_.torch.steps, piece, &times);
  AddChanges(model_.steps, piece, &times);
  std::sort(times.begin(), times.end());
  times.push_back(piece.to_ns);
  PathPiece one = piece;
  for (size_t i = 0; i + 1 < times.size(); ++i) {
    one.from_ns = times[i];
    one.to_ns = times[i + 1];
    if (one.from_ns >= one.to_ns) continue;
    const Place place = PlaceAt(piece.thread, one.from_ns);
    const auto add = [&](int64_t from_ns, int64_t to_ns, StepPart part) {
      PathPiece in_part = one;
      in_part.from_ns = from_ns;
      in_part.to_ns = to_ns;
      AddTime(in_part, StepPathKind::kHost, part, time);
      if (!counts) return;
      const Key key = KeyOf(in_part, id, place);
      if (!sampled) return sums_[key].Add(SumOf(in_part, part));
      SampledCode& code = sampled_code_[key];
      code.sum.Add(SumOf(in_part, part));
      const auto [begin, end] = SamplesIn(in_part);
      for (const HostSample* at = begin; at != end; ++at) ++code.lines[own_frames_[at->stack]];
    };
    parts_.VisitThread(piece.thread, {one.from_ns, one.to_ns}, add);
  }
}

void StepItems::Add(const PathPiece& piece, bool counts, PathTime* time) {
  if (piece.work == PathWork::kHostCode) return AddHostCode(piece, counts, time);
  Place place;
  StepPart part = StepPart::kNotKnown;
  if (piece.op != kNoIndex) part = parts_.OfOperation(static_cast<size_t>(piece.op));
  if (piece.call != kNoIndex) {
    const model::ApiCall call = model_.api_calls[static_cast<size_t>(piece.call)];
    place = PlaceAt(call.thread, call.start_ns);
    const bool by_host =
        piece.op == kNoIndex || piece.work == PathWork::kReturn || part == StepPart::kNotKnown;
    if (by_host) part = parts_.OfHost(call.thread, call.start_ns);
  }
  AddTime(piece, KindOf(piece), part, time);
  if (counts) sums_[KeyOf(piece, IdOf(piece), place)].Add(SumOf(piece, part));
}

StepItems::Sums StepItems::WithSampledCode() const {
  Sums sums = sums_;
  for (const auto& [key, code] : sampled_code_) {
    Sum left = code.sum;
    int64_t samples = 0;
    for (const auto& [line, count] : code.lines) samples += count;
    const bool enough = samples >= kFewHostSamples;
    for (const auto& [line, count] : code.lines) {
      if (!enough || line == kNone) continue;
      Sum part = left.Cut(static_cast<double>(count) / static_cast<double>(samples));
      samples -= count;
      part.count = count;
      Key here = key;
      std::get<LineOf>(here) = LineOf::kHost;
      std::get<kLineOfKey>(here) = line;
      sums[here].Add(part);
    }
    if (left.time_ns > 0) sums[key].Add(left);
  }
  return sums;
}

std::string StepItems::WhereText(const Key& key) const {
  const auto& [work, id, kind, path, line_of, frame] = key;
  if (work == PathWork::kOperation) {
    return id >= 0 ? kernels_[static_cast<size_t>(id)].range : "";
  }
  std::string where;
  if (kind == PlaceKind::kOp) where = model_.paths[path].name;
  if (kind == PlaceKind::kRange) where = families_.label[path];
  if (frame == kNone) return where;
  const model::HostFrame& line = model_.host_frames[frame];
  const bool next_call = work == PathWork::kHostCode && line_of == LineOf::kCall;
  const char* const before = next_call ? "before " : "";
  const std::string place = line.line != 0
                                ? model_.strings[line.file] + ":" + std::to_string(line.line)
                                : model_.strings[line.function];  // of native code
  return where + (where.empty() ? "" : ", ") + before + place;
}

StepPathItem StepItems::Describe(const Key& key, const Sum& sum) const {
  const auto& [work, id, kind, path, line_of, frame] = key;
  StepPathItem item;
  item.where = WhereText(key);
  item.count = sum.count;
  item.time_ns = static_cast<double>(sum.time_ns);
  if (line_of == LineOf::kHost) item.host_samples = sum.count;
  const auto call = [&, name = id] {
    return std::string(format::WithoutApiSuffix(model_.strings[static_cast<size_t>(name)]));
  };
  switch (work) {
    case PathWork::kHostCode:
      item.kind = StepPathKind::kHost;
      item.what = id == kMayWait ? "host code or wait" : "host code";
      break;
    case PathWork::kCall:
      item.kind = StepPathKind::kCall;
      item.what = call();
      break;
    case PathWork::kLoading:
      item.kind = StepPathKind::kCall;
      item.what = "loading of code in " + call();
      break;
    case PathWork::kLaunch:
      item.kind = StepPathKind::kLaunch;
      item.what = call();
      break;
    case PathWork::kReturn:
      item.kind = StepPathKind::kWait;
      item.what = "until " + call() + " returns";
      break;
    case PathWork::kNextInStream:
      item.kind = StepPathKind::kWait;
      item.what = "next in the stream";
      break;
    case PathWork::kOtherStream:
      item.kind = StepPathKind::kWait;
      item.what = "next in another stream";
      break;
    case PathWork::kNoCause:
      item.kind = StepPathKind::kWait;
      item.what = "no cause was recorded";
      break;
    case PathWork::kOperation:
      item.what = OperationName(id);
      item.kind = id < 0 ? StepPathKind::kCopy : StepPathKind::kKernel;
      if (id <= kFirstGraph) item.kind = StepPathKind::kKernel;
      if (id < 0) break;
      item.limiter = kernels_[static_cast<size_t>(id)].verdict.limiter;
      if (communicates_[groups_.groups[static_cast<size_t>(id)].shape]) {
        item.kind = StepPathKind::kCommunication;
      }
      break;
  }
  return item;
}

// Those with equal texts are one: versions of a call, signatures of a kernel. Each has the part and
// the limiter with most of the time of all.
std::vector<StepPathItem> StepItems::Items() const {
  using Texts = std::tuple<StepPathKind, std::string, std::string>;
  struct Merged {
    StepPathItem item;
    std::array<int64_t, kStepParts> parts_ns{};
    std::map<Limiter, int64_t> limiters_ns;
  };
  std::map<Texts, Merged> merged;
  for (const auto& [key, sum] : WithSampledCode()) {
    StepPathItem item = Describe(key, sum);
    Merged& known = merged[{item.kind, item.what, item.where}];
    for (size_t i = 0; i < kStepParts; ++i) known.parts_ns[i] += sum.parts_ns[i];
    if (item.kind == StepPathKind::kKernel) known.limiters_ns[item.limiter] += sum.time_ns;
    item.count += known.item.count;
    item.host_samples += known.item.host_samples;
    item.time_ns += known.item.time_ns;
    known.item = std::move(item);
  }
  std::vector<StepPathItem> items;
  items.reserve(merged.size());
  for (auto& [texts, known] : merged) {
    known.item.part = LongestPart(known.parts_ns);
    known.item.limiters = LimitersByTime(known.limiters_ns);
    if (!known.item.limiters.empty()) known.item.limiter = known.item.limiters.front().limiter;
    items.push_back(std::move(known.item));
  }
  std::stable_sort(items.begin(), items.end(), [](const StepPathItem& a, const StepPathItem& b) {
    return a.time_ns > b.time_ns;
  });
  return items;
}

std::vector<StepOffPath> StepItems::OffPath(const std::vector<StepWindow>& windows,
                                            double steps_ns) const {
  using Texts = std::pair<StepPathKind, std::string>;
  std::unordered_map<int64_t, std::pair<StepPathKind, int64_t>> times;  // by id
  for (size_t i = 0; i < model_.ops.size(); ++i) {
    const Op op = model_.ops[i];
    if (!op.timed) break;  // they are last
    const size_t step = WindowAt(windows, op.start_ns);
    if (step == windows.size() || !windows[step].counts()) continue;
    auto& [kind, time_ns] = times[OperationId(static_cast<int32_t>(i))];
    kind = KindOf(op);
    time_ns += op.end_ns - op.start_ns;
  }
  std::map<Texts, StepOffPath> named;
  for (const auto& [id, time] : times) {
    StepOffPath& off = named[{time.first, OperationName(id)}];
    off.kind = time.first;
    off.gpu_ns += static_cast<double>(time.second);
  }
  for (const auto& [key, sum] : sums_) {
    if (std::get<PathWork>(key) != PathWork::kOperation) continue;
    const StepPathItem item = Describe(key, sum);
    const auto known = named.find({item.kind, item.what});
    if (known != named.end()) known->second.path_ns += item.time_ns;
  }
  std::vector<StepOffPath> list;
  for (auto& [texts, off] : named) {
    off.what = texts.second;
    if (off.gpu_ns < kLeastOffPath * steps_ns || off.path_ns > kHardlyOnPath * off.gpu_ns) continue;
    list.push_back(std::move(off));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const StepOffPath& a, const StepOffPath& b) { return a.gpu_ns > b.gpu_ns; });
  return list;
}

}  // namespace prof::analyzer
