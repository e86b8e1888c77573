// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/step_times.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "lib/analyzer/base/search.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/base/torch_paths.h"

namespace prof::analyzer {

using model::kNoIndex;
using model::Op;

std::vector<int32_t> LastOperations(const model::Model& model, const Iterations& iterations,
                                    std::optional<uint32_t> device) {
  std::vector<int32_t> last(iterations.size(), kNoIndex);
  std::vector<bool> threads = BackwardThreads(model, BackwardPaths(model));
  threads[iterations.front().thread] = true;
  Iterations::Reader iteration_at(iterations);
  // The first iteration that begins after the call. What a call is compared with is read when it
  // changes.
  size_t behind = 0;
  int64_t begin_ns = std::numeric_limits<int64_t>::max(), end_ns = 0, next_begin_ns = 0;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op op = model.ops[i];
    if (!op.timed) break;  // they are last
    if (op.api == kNoIndex || (device && op.device != *device)) continue;
    const model::ApiCall call = model.api_calls[static_cast<size_t>(op.api)];
    if (!threads[call.thread]) continue;
    if (call.start_ns < begin_ns || call.start_ns >= next_begin_ns) {
      behind = FirstNotBefore(iterations.size(), behind, [&](size_t iteration) {
        return iteration_at[iteration].start_ns <= call.start_ns;
      });
      constexpr auto kNever = std::numeric_limits<int64_t>::max();
      begin_ns = end_ns = std::numeric_limits<int64_t>::min();
      if (behind > 0) {
        const model::RangeInstance before = iteration_at[behind - 1];
        begin_ns = before.start_ns;
        end_ns = before.end_ns;
      }
      next_begin_ns = behind < iterations.size() ? iteration_at[behind].start_ns : kNever;
    }
    if (behind == 0 || call.start_ns >= end_ns) continue;
    int32_t& known = last[behind - 1];
    const bool later =
        known == kNoIndex || op.end_ns >= model.ops[static_cast<size_t>(known)].end_ns;
    if (later) known = static_cast<int32_t>(i);
  }
  return last;
}

IntervalUnion DisturbedTimes(const DeviceTimeline& device) {
  Intervals times = device.set_aside.intervals();
  for (const Gap& gap : device.gaps) {
    if (gap.disturbed_ns > 0) times.push_back({gap.start_ns, gap.end_ns});
  }
  return IntervalUnion(std::move(times));
}

DeviceSteps FindDeviceSteps(const model::Model& model, const Iterations& iterations,
                            const DeviceTimeline& device) {
  DeviceSteps steps;
  if (iterations.empty()) return steps;
  steps.last = LastOperations(model, iterations, device.device);
  steps.counts.resize(iterations.size());
  const IntervalUnion disturbed = DisturbedTimes(device);
  // 0: a time at which no step ends.
  const auto end_of = [&](size_t step) {
    const int32_t op = steps.last[step];
    return op == kNoIndex ? 0 : model.ops[static_cast<size_t>(op)].end_ns;
  };
  Interval times;
  for (size_t i = 1; i < iterations.size(); ++i) {
    times = {times.end_ns, end_of(i)};
    if (times.start_ns == 0 || times.end_ns <= times.start_ns) continue;
    if (disturbed.WithinNs(times) > 0) continue;
    steps.counts[i] = true;
    ++steps.counted;
  }
  return steps;
}

std::vector<double> PartMedians(std::vector<int64_t>* lengths_ns) {
  std::vector<double> medians;
  for (size_t part = 0; part < kDriftParts; ++part) {
    const auto at = [&](size_t number) {
      return lengths_ns->begin() +
             static_cast<ptrdiff_t>(number * lengths_ns->size() / kDriftParts);
    };
    medians.push_back(Summarize(at(part), at(part + 1)).median);
  }
  return medians;
}

double Rising(const std::vector<double>& parts) {
  int64_t rising = 0, pairs = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j, ++pairs) rising += parts[j] > parts[i] ? 1 : 0;
  }
  return static_cast<double>(rising) / static_cast<double>(pairs);
}

}  // namespace prof::analyzer
