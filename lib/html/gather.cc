// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather.h"

#include <algorithm>
#include <limits>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/html/gather_host.h"
#include "lib/html/gather_memory.h"
#include "lib/html/gather_operations.h"
#include "lib/html/gather_ranges.h"
#include "lib/html/gather_samples.h"
#include "lib/html/gather_stacks.h"
#include "lib/html/gather_torch.h"

namespace prof::html {
namespace {

// Sets the first and the last moment of anything that is gathered.
void SetSpan(const model::Model& model, TimelineData* data) {
  int64_t start_ns = std::numeric_limits<int64_t>::max(), end_ns = 0;
  const auto take = [&](int64_t from_ns, int64_t to_ns) {
    start_ns = std::min(start_ns, from_ns);
    end_ns = std::max(end_ns, to_ns);
  };
  for (const model::Op& op : model.ops) {
    if (op.timed) take(op.start_ns, op.end_ns);
  }
  for (const model::ApiCall& call : model.api_calls) take(call.start_ns, call.end_ns);
  for (const model::RangeInstance& range : model.instances) take(range.start_ns, range.end_ns);
  for (const model::RangeInstance& span : model.spans) take(span.start_ns, span.end_ns);
  for (const model::ProfilerInterval& work : model.profiler_intervals) {
    take(work.begin_ns, work.end_ns);
  }
  for (const model::Pause& pause : model.pauses) take(pause.begin_ns, pause.end_ns);
  for (const model::Allocation& allocation : model.allocations) {
    take(allocation.time_ns, allocation.time_ns);
  }
  if (end_ns < start_ns) return;
  data->start_ns = start_ns;
  data->end_ns = end_ns;
}

}  // namespace

TimelineData Gather(const model::Model& model, const Report& report) {
  TimelineData data;
  SetSpan(model, &data);
  data.begun_ns = -analyzer::SinceStart(model, data.start_ns);
  const analyzer::RangeFamilies families = analyzer::FindRangeFamilies(model);
  const analyzer::Timeline timeline = analyzer::BuildTimeline(model);
  const RangeRows rows = GatherRanges(model, families, timeline, &data);
  const analyzer::KernelGroups groups = analyzer::GroupKernels(model, families);
  GatherOperations(model, report, {families, timeline, groups, rows}, &data);
  GatherHost(model, rows, &data);
  GatherPmSamples(model, report, &data);
  GatherMemory(model, &data);
  GatherTorch(model, report, groups, &data);
  GatherStacks(model, timeline, groups, &data);
  return data;
}

}  // namespace prof::html
