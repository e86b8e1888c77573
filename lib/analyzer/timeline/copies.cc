// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/copies.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "lib/format/enums.h"

namespace prof::analyzer {
namespace {

using model::CopyKind;
using model::MemoryKind;
using model::Op;
using model::OpKind;

// A union of intervals that arrive sorted by start, and how much of it lies before a moment.
class Cover {
 public:
  void Add(int64_t start_ns, int64_t end_ns) {
    if (!parts_.empty() && start_ns <= parts_.back().end_ns) {
      parts_.back().end_ns = std::max(parts_.back().end_ns, end_ns);
      return;
    }
    const int64_t before_ns =
        parts_.empty() ? 0
                       : parts_.back().before_ns + parts_.back().end_ns - parts_.back().start_ns;
    parts_.push_back({start_ns, end_ns, before_ns});
  }
  int64_t Between(int64_t from_ns, int64_t to_ns) const { return Before(to_ns) - Before(from_ns); }

 private:
  struct Part {
    int64_t start_ns, end_ns;
    int64_t before_ns;  // sum of the parts before this one
  };
  int64_t Before(int64_t time_ns) const {
    const auto it =
        std::upper_bound(parts_.begin(), parts_.end(), time_ns,
                         [](int64_t time, const Part& part) { return time < part.start_ns; });
    if (it == parts_.begin()) return 0;
    const Part& part = *(it - 1);
    return part.before_ns + std::min(time_ns, part.end_ns) - part.start_ns;
  }
  std::vector<Part> parts_;
};

}  // namespace

std::string DirectionName(CopyKind kind) { return format::Name(kind); }

std::string MemoryName(MemoryKind kind) { return format::Name(kind); }

std::vector<CopySummary> SummarizeCopies(const model::Model& model) {
  std::unordered_map<uint32_t, Cover> kernels;
  bool any = false;
  for (const Op& op : model.ops) {
    any |= op.kind == OpKind::kCopy;
    if (RunsKernels(op) && op.timed) kernels[op.device].Add(op.start_ns, op.end_ns);
  }
  std::map<std::tuple<uint32_t, CopyKind, MemoryKind, MemoryKind>, CopySummary> by_kind;
  for (const Op& op : model.ops) {
    if (!any) break;
    if (op.kind != OpKind::kCopy) continue;
    CopySummary& summary = by_kind[{op.device, op.copy, op.source, op.destination}];
    ++summary.count;
    summary.bytes += op.bytes;
    if (!op.timed) continue;
    summary.time_ns += static_cast<double>(op.end_ns - op.start_ns);
    summary.overlapped_ns +=
        static_cast<double>(kernels[op.device].Between(op.start_ns, op.end_ns));
  }
  std::vector<CopySummary> result;
  for (auto& [key, summary] : by_kind) {
    const auto& [device, kind, source, destination] = key;
    summary.device = device;
    summary.direction = DirectionName(kind);
    summary.memory = MemoryName(source) + " to " + MemoryName(destination);
    result.push_back(std::move(summary));
  }
  std::stable_sort(result.begin(), result.end(), [](const CopySummary& a, const CopySummary& b) {
    return a.time_ns > b.time_ns;
  });
  return result;
}

}  // namespace prof::analyzer
