// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/run.h"

#include "lib/report/json/kernel.h"

namespace prof {
namespace {

const char* KindName(RangeRow::Kind kind) {
  switch (kind) {
    case RangeRow::Kind::kRange:
      return "range";
    case RangeRow::Kind::kOutside:
      return "outside";
    case RangeRow::Kind::kGap:
      return "gap";
    case RangeRow::Kind::kProfiler:
      return "profiler";
  }
  return "unknown";
}

}  // namespace

Json ToJson(const RunClock& value) {
  return {
      {"hz", ToJson(value.hz)},
      {"read", value.read},
      {"sampled_hz", ToJson(value.sampled_hz)},
      {"time_ns", Number(value.time_ns)},
      {"lost_ns", value.sampled_hz.n > 0 ? Number(value.lost_ns) : Json(nullptr)},
      {"highest_hz", Known(value.highest_hz)},
      {"lost_to_highest_ns",
       value.hz.n > 0 && value.highest_hz > 0 ? Number(value.lost_to_highest_ns) : Json(nullptr)}};
}

Json ToJson(const ContinuousReport& value) {
  Json metrics = Json::object();
  for (const ContinuousMetric& metric : value.metrics) {
    Json buckets = Json::array();
    for (const double mean : metric.buckets) buckets.push_back(Number(mean));
    metrics[metric.metric] = {{"mean", Number(metric.mean)},     {"p5", Number(metric.p5)},
                              {"median", Number(metric.median)}, {"p95", Number(metric.p95)},
                              {"max", Number(metric.max)},       {"buckets", buckets}};
  }
  return {{"device", value.device},
          {"interval_ns", Number(value.interval_ns)},
          {"samples", value.samples},
          {"span_ns", Number(value.span_ns)},
          {"covered", Number(value.covered)},
          {"bucket_ns", Number(value.bucket_ns)},
          {"clock_known", value.clock_known},
          {"clock_from_other", value.clock_from_other},
          {"clock_offset_ns", value.clock_known ? Number(value.clock_offset_ns) : Json(nullptr)},
          {"clock_error_ns", Number(value.clock_error_ns)},
          {"clock_stable", value.clock_stable},
          {"clock_first_ns", Number(value.clock_first_ns)},
          {"clock_last_ns", Number(value.clock_last_ns)},
          {"concurrent_share", Number(value.concurrent_share)},
          {"concurrent_used", value.concurrent_used},
          {"notes", value.notes},
          {"metrics", metrics}};
}

Json ToJson(const RangeRow& value) {
  return {{"kind", KindName(value.kind)},
          {"label", value.label},
          {"time_ns", Number(value.time_ns)},
          {"share", Number(value.share)},
          {"instances", value.instances},
          {"operations", value.operations},
          {"limiter", ToString(value.limiter)},
          {"dominant", value.dominant},
          {"evidence", value.evidence},
          {"verdict", value.verdict},
          {"gain_at_most_ns", Number(value.gain_at_most_ns)},
          {"continuous", ToJson(value.continuous)},
          {"roofline", ToJson(value.roofline)}};
}

Json ToJson(const GapSummary& value) {
  return {{"device", value.device},
          {"cause", ToString(value.cause)},
          {"count", value.count},
          {"total_ns", Number(value.total_ns)},
          {"longest_ns", Number(value.longest_ns)},
          {"where", value.where},
          {"example", value.example}};
}

Json ToJson(const IdleStretch& value) {
  return {{"cause", ToString(value.cause)},
          {"begin_ns", Number(value.begin_ns)},
          {"end_ns", Number(value.end_ns)}};
}

Json ToJson(const Finding& value) {
  return {{"id", value.id},
          {"title", value.title},
          {"evidence", value.evidence},
          {"action", value.action},
          {"place", value.place},
          {"place_share", Number(value.place_share)},
          {"kind", ToString(value.kind)},
          {"gain_at_most_ns", Number(value.gain_at_most_ns)},
          {"stretch", value.stretch ? ToJson(*value.stretch) : Json(nullptr)},
          {"check", value.check},
          {"confidence", ToString(value.confidence)},
          {"withheld", value.withheld},
          {"withheld_why", value.withheld_why}};
}

Json ToJson(const RankedAction& value) {
  return {{"id", value.action.id},
          {"kind", ToString(value.action.kind)},
          {"what", value.action.what},
          {"target", value.target},
          {"target_ns", Number(value.target_ns)},
          {"saves_at_most_ns", Number(value.saves_at_most_ns)},
          {"floor", value.action.floor},
          {"confidence", ToString(value.confidence)},
          {"evidence", value.evidence},
          {"check", value.check}};
}

Json ToJson(const RangeMember& value) {
  return {{"path", value.path},
          {"calls", value.calls},
          {"gpu_inclusive_ns", Number(value.gpu_inclusive_ns)},
          {"host_ns", Number(value.host_ns)}};
}

Json ToJson(const RangeNode& value) {
  return {{"name", value.name},
          {"path", value.path},
          {"parent", value.parent},
          {"depth", value.depth},
          {"ranges", value.ranges},
          {"calls", value.calls},
          {"host_ns", Number(value.host_ns)},
          {"host_longest_ns", Number(value.host_longest_ns)},
          {"gpu_ns", Number(value.gpu_ns)},
          {"gpu_inclusive_ns", Number(value.gpu_inclusive_ns)},
          {"operations", value.operations},
          {"rows", value.rows},
          {"members", List(value.members)}};
}

Json ToJson(const ApiSummary& value) {
  return {{"name", value.name},
          {"count", value.count},
          {"total_ns", Number(value.total_ns)},
          {"longest_ns", Number(value.longest_ns)},
          {"failed", value.failed}};
}

Json ToJson(const CopySummary& value) {
  return {{"device", value.device},
          {"direction", value.direction},
          {"memory", value.memory},
          {"count", value.count},
          {"bytes", value.bytes},
          {"time_ns", Number(value.time_ns)},
          {"overlapped_ns", Number(value.overlapped_ns)},
          {"ceiling_bytes_per_s", Number(value.ceiling_bytes_per_s)}};
}

Json ToJson(const StreamReport& value) {
  return {{"device", value.device},
          {"context", value.context},
          {"stream", value.stream},
          {"name", value.name},
          {"kind", value.kind},
          {"priority", value.priority ? Json(*value.priority) : Json(nullptr)},
          {"operations", value.operations},
          {"time_ns", Number(value.time_ns)},
          {"channels", value.channels != 0 ? Json(value.channels) : Json(nullptr)}};
}

Json ToJson(const ClockHold& value) {
  return {{"kind", ToString(value.kind)}, {"what", value.what}, {"readings", value.readings}};
}

Json ToJson(const GpuStateReport& value) {
  if (value.empty()) return nullptr;
  return {{"sm_clock_hz", ToJson(value.sm_clock_hz)},
          {"memory_clock_hz", ToJson(value.memory_clock_hz)},
          {"celsius", ToJson(value.celsius)},
          {"watts", ToJson(value.watts)},
          {"power_limit_w", Known(value.power_limit_w)},
          {"with_reasons", value.with_reasons},
          {"holds", List(value.holds)}};
}

Json ToJson(const DeviceReport& value) {
  return {{"id", value.id},
          {"name", value.name},
          {"chip", value.chip},
          {"sm_count", value.sm_count},
          {"busy_ns", Number(value.busy_ns)},
          {"idle_ns", Number(value.idle_ns)},
          {"sm_clock_hz", ToJson(value.sm_clock_hz)},
          {"run_clock", ToJson(value.run_clock)},
          {"state", ToJson(value.state)},
          {"dram_clock_hz", ToJson(value.dram_clock_hz)},
          {"dram_peak_bytes_per_s", Number(value.dram_peak_bytes_per_s)}};
}

Json ToJson(const NoticeReport& value) {
  return {{"severity", value.severity},
          {"subsystem", value.subsystem},
          {"what", value.what},
          {"fix", value.fix}};
}

Json ToJson(const EstimatedTime& value) {
  return {{"time_ns", Number(value.ns)}, {"error_ns", Number(value.error_ns)}};
}

Json ToJson(const WholeRunKernel& value) {
  return {{"name", value.name},
          {"device", value.device},
          {"grid", value.grid},
          {"block", value.block},
          {"dynamic_shared_bytes", value.dynamic_shared_bytes},
          {"launches", value.launches},
          {"traced", value.traced},
          {"estimate", value.time ? ToJson(*value.time) : Json()}};
}

Json ToJson(const WholeRun& value) {
  return {{"windows", value.windows},
          {"span_ns", Number(value.span_ns)},
          {"traced_ns", Number(value.traced_ns)},
          {"kernels_time", ToJson(value.kernels_time)},
          {"launches", value.launches},
          {"launches_without", value.launches_without},
          {"kernels", List(value.kernels)}};
}

}  // namespace prof
