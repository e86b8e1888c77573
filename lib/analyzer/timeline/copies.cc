// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/copies.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/base/ceilings.h"
#include "lib/analyzer/base/intervals.h"
#include "lib/format/enums.h"

namespace prof::analyzer {
namespace {

using model::CopyKind;
using model::MemoryKind;
using model::Op;
using model::OpKind;

// By device: the time in which a kernel ran.
std::unordered_map<uint32_t, IntervalUnion> KernelTimesByDevice(const model::Model& model) {
  std::unordered_map<uint32_t, Intervals> kernels;
  for (const Op& op : model.ops) {
    if (RunsKernels(op) && op.timed) kernels[op.device].push_back({op.start_ns, op.end_ns});
  }
  std::unordered_map<uint32_t, IntervalUnion> times;
  for (auto& [device, intervals] : kernels) times[device] = IntervalUnion(std::move(intervals));
  return times;
}

}  // namespace

std::string DirectionName(CopyKind kind) { return format::Name(kind); }

std::string MemoryName(MemoryKind kind) { return format::Name(kind); }

std::vector<CopySummary> SummarizeCopies(const model::Model& model) {
  const bool any = std::any_of(model.ops.begin(), model.ops.end(),
                               [](const Op& op) { return op.kind == OpKind::kCopy; });
  if (!any) return {};
  std::unordered_map<uint32_t, IntervalUnion> kernels = KernelTimesByDevice(model);
  std::map<std::tuple<uint32_t, CopyKind, MemoryKind, MemoryKind>, CopySummary> by_kind;
  for (const Op& op : model.ops) {
    if (op.kind != OpKind::kCopy) continue;
    CopySummary& summary = by_kind[{op.device, op.copy, op.source, op.destination}];
    ++summary.count;
    summary.bytes += op.bytes;
    if (!op.timed) continue;
    summary.time_ns += static_cast<double>(op.end_ns - op.start_ns);
    summary.overlapped_ns +=
        static_cast<double>(kernels[op.device].WithinNs({op.start_ns, op.end_ns}));
  }
  std::vector<CopySummary> result;
  for (auto& [key, summary] : by_kind) {
    const auto& [device, kind, source, destination] = key;
    summary.device = device;
    summary.direction = DirectionName(kind);
    summary.memory = MemoryName(source) + " to " + MemoryName(destination);
    summary.ceiling_bytes_per_s = CopyCeiling(model.FindDevice(device), kind);
    result.push_back(std::move(summary));
  }
  std::stable_sort(result.begin(), result.end(), [](const CopySummary& a, const CopySummary& b) {
    return a.time_ns > b.time_ns;
  });
  return result;
}

}  // namespace prof::analyzer
