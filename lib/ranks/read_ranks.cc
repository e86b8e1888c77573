// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/read_ranks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/communication.h"
#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/base/kernel_names.h"
#include "lib/analyzer/base/sm_share.h"
#include "lib/analyzer/kernels/sampled_clock.h"
#include "lib/text/demangle.h"

namespace prof::ranks {
namespace {

using analyzer::Interval;
using analyzer::Intervals;
using analyzer::IntervalUnion;
using model::Op;
using model::OpKind;

// What is shorter holds nobody up. [own]
constexpr int64_t kShortestHoldNs = 20'000;

struct Launched {
  int64_t at_ns = 0;  // the call on the host; of the nodes of a graph, the same
  uint64_t node = 0;
  Collective collective;
};

// What a device ran.
struct Device {
  std::vector<Launched> collectives;
  Intervals compute, all;
};

// By shape: the index of its name in `names`, or -1 for one that is no collective.
std::vector<int64_t> CollectiveNames(const model::Model& model, std::vector<std::string>* names) {
  const std::vector<bool> is_nccl = analyzer::Communicates(model);
  std::vector<int64_t> of_shape;
  std::map<std::string, int64_t> known;
  for (size_t shape = 0; shape < model.shapes.size(); ++shape) {
    int64_t& index = of_shape.emplace_back(-1);
    if (!is_nccl[shape]) continue;
    const std::string name = analyzer::ShortName(text::Demangle(model.shapes[shape].name));
    const auto [found, is_new] = known.try_emplace(name, static_cast<int64_t>(names->size()));
    if (is_new) names->push_back(name);
    index = found->second;
  }
  return of_shape;
}

std::map<uint32_t, Device> ByDevice(const model::Model& model,
                                    const std::vector<int64_t>& name_of) {
  std::map<uint32_t, Device> devices;
  for (const Op& op : model.ops) {
    const bool is_timed = op.timed && !op.untraced && op.end_ns > op.start_ns;
    const bool is_collective = op.kind == OpKind::kKernel && name_of[op.shape] >= 0;
    if (!is_timed && !is_collective) continue;
    Device& device = devices[op.device];
    if (is_timed) device.all.push_back({op.start_ns, op.end_ns});
    if (!is_collective) {
      if (RunsKernels(op)) device.compute.push_back({op.start_ns, op.end_ns});
      continue;
    }
    Launched& launched = device.collectives.emplace_back();
    launched.at_ns = op.api == model::kNoIndex
                         ? op.start_ns
                         : model.api_calls[static_cast<size_t>(op.api)].start_ns;
    launched.node = op.graph != 0 ? op.graph_node : 0;
    launched.collective.name = static_cast<uint32_t>(name_of[op.shape]);
    launched.collective.start_ns = op.start_ns;
    launched.collective.sm_share = analyzer::SmShare(model, op);
    launched.collective.end_ns = is_timed ? op.end_ns : op.start_ns - 1;
  }
  return devices;
}

// The kernels of a device in this time that are no collectives.
std::vector<Work> WorkOf(const model::Model& model, const std::vector<int64_t>& name_of,
                         uint32_t device, const Interval& span) {
  std::map<uint32_t, Work> by_shape;
  for (const Op& op : model.ops) {
    if (!op.timed || op.untraced || op.kind != OpKind::kKernel || op.device != device) continue;
    if (name_of[op.shape] >= 0 || op.start_ns < span.start_ns || op.end_ns > span.end_ns) continue;
    Work& work = by_shape[op.shape];
    ++work.launches;
    work.ns += static_cast<double>(op.end_ns - op.start_ns);
  }
  // Shapes differ by more than name, grid and block.
  std::map<std::tuple<std::string, std::array<uint32_t, 3>, std::array<uint32_t, 3>>, Work> merged;
  for (const auto& [shape_id, work] : by_shape) {
    const model::Shape& shape = model.shapes[shape_id];
    Work& into = merged[{shape.name, shape.grid, shape.block}];
    into.launches += work.launches;
    into.ns += work.ns;
  }
  std::vector<Work> all;
  for (auto& [key, work] : merged) {
    work.kernel = text::Demangle(std::get<0>(key));
    work.grid = std::get<1>(key);
    work.block = std::get<2>(key);
    all.push_back(std::move(work));
  }
  return all;
}

std::string NameOf(const model::Model& model, uint32_t device, bool has_several) {
  std::string name = model.process.rank >= 0 ? "rank " + std::to_string(model.process.rank)
                                             : "pid " + std::to_string(model.process.pid);
  if (has_several) name += " GPU " + std::to_string(device);
  return name;
}

// The times in which prof held the process up, and as long again: the host is late until it waits
// for the GPU, or until the GPU has idled for as long.
IntervalUnion HeldUp(const model::Model& model) {
  Intervals held;
  for (const model::ProfilerInterval& one : model.profiler_intervals) {
    const bool is_ours = one.work != model::ProfilerWork::kPause;
    if (!is_ours || one.end_ns - one.begin_ns < kShortestHoldNs) continue;
    held.push_back({one.begin_ns, 2 * one.end_ns - one.begin_ns});
  }
  return IntervalUnion(std::move(held));
}

// Fills in what ran beside and between the collectives, which are in the order of their launches.
// Returns the time from the first to the last one.
Interval Measure(const IntervalUnion& held, Device* device) {
  std::vector<Collective*> by_start;
  for (Launched& one : device->collectives) {
    if (one.collective.is_timed()) by_start.push_back(&one.collective);
  }
  std::stable_sort(by_start.begin(), by_start.end(), [](const Collective* a, const Collective* b) {
    return a->start_ns < b->start_ns;
  });
  const IntervalUnion compute(std::move(device->compute));
  device->all.insert(device->all.end(), held.intervals().begin(), held.intervals().end());
  const IntervalUnion busy_or_held(std::move(device->all));
  const int64_t begin_ns = by_start.front()->start_ns;
  int64_t last_ns = begin_ns;
  for (Collective* one : by_start) {
    const Interval alone{std::min(std::max(one->start_ns, last_ns), one->end_ns), one->end_ns};
    one->exposed_ns = static_cast<double>(alone.end_ns - alone.start_ns - compute.WithinNs(alone));
    one->beside_ns = static_cast<double>(compute.WithinNs({one->start_ns, one->end_ns}));
    const Interval so_far{begin_ns, one->end_ns};
    one->compute_ns = static_cast<double>(compute.WithinNs(so_far));
    one->idle_ns = static_cast<double>(one->end_ns - begin_ns - busy_or_held.WithinNs(so_far));
    one->held = held.WithinNs({std::min(last_ns, one->start_ns), one->end_ns}) > 0;
    last_ns = std::max(last_ns, one->end_ns);
  }
  return {begin_ns, last_ns};
}

}  // namespace

std::vector<Rank> ReadRanks(const model::Model& model, const std::string& file) {
  std::vector<std::string> names;
  const std::vector<int64_t> name_of = CollectiveNames(model, &names);
  std::map<uint32_t, Device> devices = ByDevice(model, name_of);
  for (auto it = devices.begin(); it != devices.end();) {
    const std::vector<Launched>& all = it->second.collectives;
    const bool any = std::any_of(all.begin(), all.end(),
                                 [](const Launched& one) { return one.collective.is_timed(); });
    it = any ? std::next(it) : devices.erase(it);
  }
  const IntervalUnion held = HeldUp(model);
  std::vector<Rank> ranks;
  for (auto& [id, device] : devices) {
    Rank& rank = ranks.emplace_back();
    rank.name = NameOf(model, id, devices.size() > 1);
    rank.file = file;
    rank.host = model.process.host;
    rank.number = model.process.rank;
    rank.pid = model.process.pid;
    rank.device = id;
    rank.names = names;
    std::stable_sort(device.collectives.begin(), device.collectives.end(),
                     [](const Launched& a, const Launched& b) {
                       return std::tie(a.at_ns, a.node, a.collective.start_ns) <
                              std::tie(b.at_ns, b.node, b.collective.start_ns);
                     });
    const Interval span = Measure(held, &device);
    rank.work = WorkOf(model, name_of, id, span);
    rank.sm_clock_hz = analyzer::SampledClockHz(model, id, span);
    for (const Launched& one : device.collectives) rank.collectives.push_back(one.collective);
  }
  return ranks;
}

}  // namespace prof::ranks
