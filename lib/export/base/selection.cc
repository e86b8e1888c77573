// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/selection.h"

#include <functional>
#include <queue>
#include <regex>

#include "lib/export/base/selection_problem.h"
#include "lib/export/base/time_span.h"

namespace prof::exporting {

Selection::Selection(const Events& events, const ExportOptions& options, std::string* problem)
    : gpu_(options.gpu), only_launched_(options.gpu.has_value() || options.keep > 0) {
  if (options.from_ns) from_ns_ = TimeAfterBegin(events, *options.from_ns);
  if (options.to_ns) to_ns_ = TimeAfterBegin(events, *options.to_ns);
  *problem = GpuProblem(events, options);
  if (problem->empty()) *problem = TimeProblem(events, options);
  if (problem->empty() && !options.range.empty()) SelectPaths(events, options.range, problem);
  if (!problem->empty()) return;
  if (!options.range.empty()) SelectTorchOps(events);
  if (options.keep > 0) {
    shortest_operation_ = FindShortest(events.operations(), options.keep);
    shortest_range_ = FindShortest(events.ranges(), options.keep);
    shortest_torch_op_ = FindShortest(events.torch_ops(), options.keep);
  }
  launched_.resize(events.calls().size());
  std::optional<uint32_t> last_gpu;  // most operations are on the GPU of the one before
  const EventTable<OperationEvent> operations = events.operations();
  for (size_t row = 0; row < operations.size(); ++row) {
    const OperationEvent op = operations[row];
    if (!Has(op, row)) continue;
    ++operations_;
    if (op.device != last_gpu) gpus_.insert(op.device);
    last_gpu = op.device;
    if (op.call >= 0) launched_[static_cast<size_t>(op.call)] = true;
  }
}

// std::regex reports a bad pattern by throwing.
void Selection::SelectPaths(const Events& events, const std::string& pattern,
                            std::string* problem) {
  try {
    const std::regex regex(pattern);
    const std::vector<RangePathInfo>& paths = events.paths();
    paths_.resize(paths.size());
    bool any = false;
    for (size_t id = 1; id < paths.size(); ++id) {
      const uint32_t parent = paths[id].parent;
      if (paths[id].torch_op) continue;  // ops are no ranges
      paths_[id] = (parent < id && paths_[parent]) || std::regex_search(paths[id].full, regex);
      any = any || paths_[id];
    }
    if (!any) *problem = NoRangeMatches(events, pattern);
  } catch (const std::regex_error& error) {
    *problem = "the range '" + pattern + "' is not a regular expression: " + error.what();
  }
}

// One walk over both tables: for each thread the ranges that are open, the innermost last.
void Selection::SelectTorchOps(const Events& events) {
  const EventTable<RangeEvent> ranges = events.ranges();
  const EventTable<TorchOpEvent> ops = events.torch_ops();
  torch_ops_.resize(ops.size());
  std::vector<std::vector<RangeEvent>> open(events.threads().size());
  size_t begun = 0;
  for (size_t row = 0; row < ops.size(); ++row) {
    const TorchOpEvent op = ops[row];
    for (; begun < ranges.size(); ++begun) {
      const RangeEvent range = ranges[begun];
      if (range.start_ns > op.start_ns) break;
      std::vector<RangeEvent>& around = open[range.thread];
      while (!around.empty() && around.back().end_ns <= range.start_ns) around.pop_back();
      around.push_back(range);
    }
    std::vector<RangeEvent>& around = open[op.thread];
    while (!around.empty() && around.back().end_ns <= op.start_ns) around.pop_back();
    torch_ops_[row] = !around.empty() && InRange(around.back().path);
  }
}

// The shortest of the `keep` longest: a heap of so many.
template <typename Table>
std::optional<Selection::Shortest> Selection::FindShortest(const Table& table, int64_t keep) const {
  using Entry = std::pair<int64_t, int64_t>;  // duration, -row: of equal ones the earlier is larger
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> longest;
  for (size_t row = 0; row < table.size(); ++row) {
    const auto event = table[row];
    if (!Has(event, row)) continue;
    longest.emplace(event.end_ns - event.start_ns, -static_cast<int64_t>(row));
    if (longest.size() > static_cast<size_t>(keep)) longest.pop();
  }
  if (longest.empty()) return std::nullopt;
  return Shortest(longest.top().first, static_cast<size_t>(-longest.top().second));
}

bool Selection::Longest(const std::optional<Shortest>& shortest, int64_t duration_ns, size_t row) {
  if (!shortest) return true;
  return duration_ns > shortest->first ||
         (duration_ns == shortest->first && row <= shortest->second);
}

bool Selection::Matches(const OperationEvent& op) const {
  return op.timed && !op.untraced && HasOn(op.device, op.start_ns, op.end_ns) &&
         (InRange(op.path) || InRange(op.launch_path));
}

bool Selection::Has(const OperationEvent& op, size_t row) const {
  return Matches(op) && Longest(shortest_operation_, op.end_ns - op.start_ns, row);
}

bool Selection::Has(const CallEvent& call, size_t row) const {
  if (only_launched_) return launched_[row];
  return Overlaps(call.start_ns, call.end_ns) && InRange(call.path);
}

bool Selection::Has(const RangeEvent& range, size_t row) const {
  return Overlaps(range.start_ns, range.end_ns) && InRange(range.path) &&
         Longest(shortest_range_, range.end_ns - range.start_ns, row);
}

bool Selection::Has(const TorchOpEvent& op, size_t row) const {
  return Overlaps(op.start_ns, op.end_ns) && (torch_ops_.empty() || torch_ops_[row]) &&
         Longest(shortest_torch_op_, op.end_ns - op.start_ns, row);
}

bool Selection::HasAt(uint32_t path, int64_t time_ns) const {
  return Overlaps(time_ns, time_ns) && InRange(path);
}

bool Selection::HasOn(uint32_t device, int64_t start_ns, int64_t end_ns) const {
  return (!gpu_ || *gpu_ == device) && Overlaps(start_ns, end_ns);
}

}  // namespace prof::exporting
