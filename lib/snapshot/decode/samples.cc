// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/samples.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/format/enums.h"
#include "lib/snapshot/decode/checks.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

constexpr uint64_t kMostDurationNs = UINT32_MAX;  // the writer's

}  // namespace

absl::Status AddSamples(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (int row = 0; row < block.samples_size(); ++row) {
    const wire::CounterSample& wire = block.samples(row);
    if (wire.group() == 0 || wire.group() >= model.groups.size()) {
      return BadId("samples", row, "pass group", wire.group(), model.groups.size());
    }
    if (wire.range_path() >= model.paths.size()) {
      return BadId("samples", row, "path", wire.range_path(), model.paths.size());
    }
    const size_t metrics = model.groups[wire.group()].metrics.size();
    if (static_cast<size_t>(wire.value_size()) != metrics) {
      return absl::DataLossError(absl::StrCat("sample ", row, " has ", wire.value_size(),
                                              " values for the ", metrics,
                                              " metrics of its pass group"));
    }
    if (!ValidTime(wire.begin_ns()) || !ValidTime(wire.end_ns())) return BadTime("samples", row);
    if (wire.shape() >= model.shapes.size()) {
      return BadId("samples", row, "shape", wire.shape(), model.shapes.size());
    }
    if (wire.lane() >= state->lanes.size()) {
      return BadId("samples", row, "lane", wire.lane(), state->lanes.size());
    }
    absl::Status status = Spend(sizeof(model::CounterSample), state);
    if (!status.ok()) return status;
    model::CounterSample& sample = model.samples.emplace_back();
    sample.unit = format::FromNumber<model::SampleUnit>(wire.unit());
    sample.group = wire.group();
    sample.context = wire.context();
    sample.correlation = wire.correlation();
    sample.path = wire.range_path();
    sample.values.assign(wire.value().begin(), wire.value().end());
    sample.begin_ns = wire.begin_ns();
    sample.end_ns = wire.end_ns();
    if (wire.shape() == 0) continue;
    sample.shape = wire.shape();
    sample.device = state->lanes[wire.lane()].device;
    sample.duration_ns = std::min<uint64_t>(wire.duration_ns(), kMostDurationNs);
  }
  return absl::OkStatus();
}

absl::Status AddProfilerIntervals(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (int row = 0; row < block.profiler_intervals_size(); ++row) {
    const wire::ProfilerInterval& wire = block.profiler_intervals(row);
    if (wire.thread() >= model.threads.size()) {
      return BadId("profiler intervals", row, "thread", wire.thread(), model.threads.size());
    }
    if (!ValidTime(wire.begin_ns()) || !ValidTime(wire.end_ns()) ||
        wire.end_ns() < wire.begin_ns()) {
      return BadTime("profiler intervals", row);
    }
    absl::Status status = Spend(sizeof(model::ProfilerInterval), state);
    if (!status.ok()) return status;
    const auto work = format::FromNumber<model::ProfilerWork>(wire.work());
    if (work == model::ProfilerWork::kPause) {
      model.pauses.push_back({wire.begin_ns(), wire.end_ns()});
      continue;
    }
    model.profiler_intervals.push_back({work, wire.thread(), wire.begin_ns(), wire.end_ns()});
  }
  return absl::OkStatus();
}

}  // namespace prof::snapshot
