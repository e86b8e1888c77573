// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/read_ranks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/communication.h"
#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/base/kernel_names.h"
#include "lib/text/demangle.h"

namespace prof::ranks {
namespace {

using analyzer::Interval;
using analyzer::Intervals;
using analyzer::IntervalUnion;
using model::Op;
using model::OpKind;

struct Launched {
  int64_t at_ns = 0;  // the call on the host; of nodes of a graph, all of them
  Collective collective;
};

// What a device ran.
struct Device {
  std::vector<Launched> collectives;
  Intervals compute, all, communication;
};

std::map<uint32_t, Device> ByDevice(const model::Model& model, const std::vector<bool>& is_nccl) {
  std::map<uint32_t, Device> devices;
  for (const Op& op : model.ops) {
    if (!op.timed || op.untraced) continue;
    Device& device = devices[op.device];
    const Interval interval{op.start_ns, op.end_ns};
    device.all.push_back(interval);
    if (!RunsKernels(op)) continue;
    if (op.kind != OpKind::kKernel || !is_nccl[op.shape]) {
      device.compute.push_back(interval);
      continue;
    }
    device.communication.push_back(interval);
    const int64_t at_ns = op.api == model::kNoIndex
                              ? op.start_ns
                              : model.api_calls[static_cast<size_t>(op.api)].start_ns;
    device.collectives.push_back({at_ns,
                                  {analyzer::ShortName(text::Demangle(model.shapes[op.shape].name)),
                                   op.start_ns, op.end_ns, 0}});
  }
  return devices;
}

// The kernels of a device in this time that are no collectives.
std::vector<Work> WorkOf(const model::Model& model, const std::vector<bool>& is_nccl,
                         uint32_t device, const Interval& span) {
  std::map<uint32_t, Work> by_shape;
  for (const Op& op : model.ops) {
    if (!op.timed || op.untraced || op.kind != OpKind::kKernel || op.device != device) continue;
    if (is_nccl[op.shape] || op.start_ns < span.start_ns || op.end_ns > span.end_ns) continue;
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
    work.kernel = analyzer::ShortName(text::Demangle(std::get<0>(key)));
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

}  // namespace

std::vector<Rank> ReadRanks(const model::Model& model, const std::string& file) {
  const std::vector<bool> is_nccl = analyzer::Communicates(model);
  std::map<uint32_t, Device> devices = ByDevice(model, is_nccl);
  for (auto it = devices.begin(); it != devices.end();) {
    it = it->second.collectives.empty() ? devices.erase(it) : std::next(it);
  }
  std::vector<Rank> ranks;
  for (auto& [id, device] : devices) {
    Rank& rank = ranks.emplace_back();
    rank.name = NameOf(model, id, devices.size() > 1);
    rank.file = file;
    rank.host = model.process.host;
    rank.number = model.process.rank;
    rank.device = id;
    std::stable_sort(device.collectives.begin(), device.collectives.end(),
                     [](const Launched& a, const Launched& b) {
                       return std::tie(a.at_ns, a.collective.start_ns) <
                              std::tie(b.at_ns, b.collective.start_ns);
                     });
    const IntervalUnion compute(std::move(device.compute)), all(std::move(device.all)),
        communication(std::move(device.communication));
    const Interval span{communication.intervals().front().start_ns,
                        communication.intervals().back().end_ns};
    for (Launched& launched : device.collectives) {
      Collective& one = rank.collectives.emplace_back(std::move(launched.collective));
      one.exposed_ns = one.ns() - static_cast<double>(compute.WithinNs({one.start_ns, one.end_ns}));
    }
    rank.span_ns = static_cast<double>(span.end_ns - span.start_ns);
    rank.compute_ns = static_cast<double>(compute.WithinNs(span));
    rank.idle_ns = rank.span_ns - static_cast<double>(all.WithinNs(span));
    rank.exposed_ns =
        static_cast<double>(communication.length_ns() - compute.WithinNs(communication));
    rank.work = WorkOf(model, is_nccl, id, span);
  }
  return ranks;
}

}  // namespace prof::ranks
