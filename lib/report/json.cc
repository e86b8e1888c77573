// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json.h"

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace prof {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 3;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json Number(const std::optional<double>& value) { return value ? Number(*value) : Json(nullptr); }

Json ToJson(const Statistic& value) {
  const auto of_any = [&](double number) { return value.n > 0 ? Number(number) : Json(nullptr); };
  return {{"n", value.n},
          {"median", of_any(value.median)},
          {"min", of_any(value.min)},
          {"max", of_any(value.max)},
          {"sum", of_any(value.sum)}};
}

Json ToJson(const Occupancy& value) {
  return {{"known", value.known},
          {"theoretical", value.known ? Number(value.theoretical) : Json(nullptr)},
          {"achieved", Number(value.achieved)},
          {"blocks_per_sm", value.blocks_per_sm},
          {"limit_blocks", value.limit_blocks},
          {"limit_warps", value.limit_warps},
          {"limit_registers", value.limit_registers},
          {"limit_shared", value.limit_shared},
          {"limited_by", value.limited_by},
          {"waves", value.known ? Number(value.waves) : Json(nullptr)},
          {"tail_lost", value.known ? Number(value.tail_lost) : Json(nullptr)}};
}

Json ToJson(const RooflineLevel& value) {
  return {{"level", value.level},
          {"bytes", Number(value.bytes)},
          {"metric", value.metric},
          {"bytes_per_s", Number(value.bytes_per_s)},
          {"ceiling_bytes_per_s", Number(value.ceiling_bytes_per_s)},
          {"ceiling", value.ceiling},
          {"of_ceiling", Number(value.of_ceiling)},
          {"flops_per_byte", Number(value.flops_per_byte)},
          {"ridge", Number(value.ridge)},
          {"attainable_flops_per_s", Number(value.attainable_flops_per_s)},
          {"missing", value.missing}};
}

// Measured; 0 is "not known".
Json Known(double value) { return value > 0 ? Number(value) : Json(nullptr); }

Json ToJson(const Roofline& value) {
  Json levels = Json::array();
  for (const RooflineLevel& level : value.levels) levels.push_back(ToJson(level));
  return {{"dram_bytes_per_s", Number(value.dram_bytes_per_s)},
          {"dram_peak_bytes_per_s", Number(value.dram_peak_bytes_per_s)},
          {"flops_per_s", Number(value.flops_per_s)},
          {"flop_peak_per_s", Number(value.flop_peak_per_s)},
          {"flop_kind", value.flop_kind},
          {"flops_per_byte", Number(value.flops_per_byte)},
          {"rates_of", value.rates_of},
          {"time_ns", Known(value.time_ns)},
          {"sm_clock_hz", Known(value.sm_clock_hz)},
          {"sampled_dram_bytes_per_s", Number(value.sampled_dram_bytes_per_s)},
          {"flop_ceiling", value.flop_ceiling},
          {"flops_missing", value.flops_missing},
          {"levels", levels},
          {"attainable_flops_per_s", Number(value.attainable_flops_per_s)},
          {"bound_by", value.bound_by},
          {"of_attainable", Number(value.of_attainable)}};
}

Json ToJson(const KernelClock& value) {
  const bool run = value.run_hz.n > 0;
  return {{"sampled_ns", ToJson(value.sampled_ns)},
          {"sampled_hz", ToJson(value.sampled_hz)},
          {"sampled_cycles", ToJson(value.sampled_cycles)},
          {"groups_differ", value.groups_differ},
          {"run_hz", ToJson(value.run_hz)},
          {"run_hz_bound", run ? Number(value.run_hz_bound) : Json(nullptr)},
          {"run_missing", value.run_missing},
          {"agreeing", value.agreeing},
          {"explains", value.explains}};
}

Json ToJson(const RunClock& value) {
  return {
      {"hz", ToJson(value.hz)},
      {"sampled_hz", ToJson(value.sampled_hz)},
      {"time_ns", Number(value.time_ns)},
      {"lost_ns", value.hz.n > 0 ? Number(value.lost_ns) : Json(nullptr)},
      {"highest_hz", Known(value.highest_hz)},
      {"lost_to_highest_ns",
       value.hz.n > 0 && value.highest_hz > 0 ? Number(value.lost_to_highest_ns) : Json(nullptr)}};
}

Json ToJson(const SpeedOfLight& value) {
  Json throughputs = Json::array();
  for (const Throughput& throughput : value.throughputs) {
    throughputs.push_back({{"metric", throughput.metric},
                           {"of_peak", Number(throughput.of_peak)},
                           {"largest", throughput.largest},
                           {"missing", throughput.missing}});
  }
  return {{"sm_sol", Number(value.sm_sol)},
          {"memory_sol", Number(value.memory_sol)},
          {"throughputs", throughputs}};
}

Json ToJson(const std::vector<Action>& values) {
  Json actions = Json::array();
  for (const Action& action : values) {
    actions.push_back({{"id", action.id},
                       {"kind", ToString(action.kind)},
                       {"what", action.what},
                       {"gain_at_most", Number(action.gain_at_most)},
                       {"floor", action.floor},
                       {"check", action.check}});
  }
  return actions;
}

Json ToJson(const Verdict& value) {
  return {{"limiter", ToString(value.limiter)},
          {"confidence", ToString(value.confidence)},
          {"source", ToString(value.source)},
          {"decided", value.decided},
          {"rule", value.rule},
          {"summary", value.summary},
          {"evidence", value.evidence},
          {"actions", ToJson(value.actions)},
          {"action", value.action},
          {"gain_at_most", Number(value.known_gain())},
          {"gain_formula", value.gain_formula},
          {"runner_up", value.runner_up},
          {"missing", value.missing},
          {"stall", value.stall},
          {"notes", value.notes}};
}

Json ToJson(const ContinuousValues& values) {
  Json metrics = Json::object();
  for (const auto& [name, value] : values) {
    metrics[name] = {{"value", Number(value.value)},
                     {"error", value.value ? Number(value.error) : Json(nullptr)},
                     {"seconds", Number(value.seconds)},
                     {"samples", value.samples},
                     {"direct", value.direct},
                     {"launches", value.launches},
                     {"beside", value.beside},
                     {"missing", value.missing}};
  }
  return metrics;
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

Json ToJson(const FlopCount& value) {
  return {{"kind", value.kind},
          {"per_launch", Number(value.per_launch)},
          {"per_s", Number(value.per_s)},
          {"peak_per_s", Number(value.peak_per_s)},
          {"of_peak", Number(value.of_peak)},
          {"sampled_per_s", Number(value.sampled_per_s)},
          {"sampled_peak_per_s", Number(value.sampled_peak_per_s)}};
}

Json ToJson(const UnitUse& value) {
  return {{"unit", ToString(value.unit)},
          {"of_peak", Number(value.of_peak)},
          {"metric", value.metric},
          {"n", value.n},
          {"source", ToString(value.source)},
          {"error", value.source == Source::kPmSamples ? Number(value.error) : Json(nullptr)},
          {"launches", value.source == Source::kPmSamples ? Json(value.launches) : Json(nullptr)},
          {"missing", value.missing}};
}

Json ToJson(const Metrics& values) {
  Json metrics = Json::object();
  for (const auto& [name, statistic] : values) metrics[name] = ToJson(statistic);
  return metrics;
}

template <typename T>
Json List(const std::vector<T>& values);

Json ToJson(const KernelReport& value) {
  const auto resource = [&](uint32_t amount) {
    return value.resources_known ? Json(amount) : Json(nullptr);
  };
  return {{"name", value.name},
          {"full_name", value.full_name},
          {"range", value.range},
          {"captured_in", value.captured_in},
          {"device", value.device},
          {"grid", value.whole_graph ? Json(nullptr) : Json(value.grid)},
          {"block", value.whole_graph ? Json(nullptr) : Json(value.block)},
          {"cluster", value.resources_known ? Json(value.cluster) : Json(nullptr)},
          {"registers_per_thread", resource(value.registers_per_thread)},
          {"static_shared_bytes", resource(value.static_shared_bytes)},
          {"dynamic_shared_bytes",
           value.whole_graph ? Json(nullptr) : Json(value.dynamic_shared_bytes)},
          {"local_bytes_per_thread", resource(value.local_bytes_per_thread)},
          {"launches", value.launches},
          {"loading_launches", value.loading_launches},
          {"duration_ns", ToJson(value.duration_ns)},
          {"duration_from_counters", value.duration_from_counters},
          {"total_ns", Number(value.total_ns)},
          {"share", Number(value.share)},
          {"busy_ns", Number(value.busy_ns)},
          {"critical_ns", Number(value.critical_ns)},
          {"in_graph", value.in_graph},
          {"whole_graph", value.whole_graph},
          {"metrics", ToJson(value.metrics)},
          {"units", List(value.units)},
          {"continuous", ToJson(value.continuous)},
          {"samples_used", value.samples_used},
          {"samples_rejected", value.samples_rejected},
          {"counters_from", value.counters_from},
          {"continuous_from", value.continuous_from},
          {"occupancy", ToJson(value.occupancy)},
          {"clock", ToJson(value.clock)},
          {"roofline", ToJson(value.roofline)},
          {"flops", List(value.flops)},
          {"speed_of_light", ToJson(value.speed_of_light)},
          {"verdict", ToJson(value.verdict)}};
}

Json ToJson(const RegionPart& value) {
  return {{"name", value.name},
          {"per_instance", Number(value.per_instance)},
          {"time_ns", Number(value.time_ns)},
          {"share", Number(value.share)}};
}

Json ToJson(const RegionReport& value) {
  const bool graph = value.kind == RegionReport::Kind::kGraph;
  return {{"kind", graph ? "graph" : "range"},
          {"label", value.label},
          {"range", value.range},
          {"graph", graph ? Json(value.graph) : Json(nullptr)},
          {"device", value.device},
          {"instances", value.instances},
          {"samples_used", value.samples_used},
          {"samples_rejected", value.samples_rejected},
          {"duration_ns", ToJson(value.duration_ns)},
          {"host_ns", ToJson(value.host_ns)},
          {"counted_ns", ToJson(value.counted_ns)},
          {"total_ns", Number(value.total_ns)},
          {"share", Number(value.share)},
          {"metrics", ToJson(value.metrics)},
          {"units", List(value.units)},
          {"speed_of_light", ToJson(value.speed_of_light)},
          {"clock", ToJson(value.clock)},
          {"roofline", ToJson(value.roofline)},
          {"flops", List(value.flops)},
          {"parts", List(value.parts)},
          {"verdict", ToJson(value.verdict)}};
}

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

Json ToJson(const Finding& value) {
  return {{"id", value.id},
          {"title", value.title},
          {"evidence", value.evidence},
          {"action", value.action},
          {"kind", ToString(value.kind)},
          {"gain_at_most_ns", Number(value.gain_at_most_ns)},
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
          {"overlapped_ns", Number(value.overlapped_ns)}};
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

Json ToJson(const DeviceReport& value) {
  return {{"id", value.id},
          {"name", value.name},
          {"chip", value.chip},
          {"sm_count", value.sm_count},
          {"busy_ns", Number(value.busy_ns)},
          {"idle_ns", Number(value.idle_ns)},
          {"sm_clock_hz", ToJson(value.sm_clock_hz)},
          {"run_clock", ToJson(value.run_clock)},
          {"dram_clock_hz", ToJson(value.dram_clock_hz)},
          {"dram_peak_bytes_per_s", Number(value.dram_peak_bytes_per_s)}};
}

Json ToJson(const AnnotationReport& value) {
  return {{"range", value.range},
          {"category", value.category},
          {"color", value.color},
          {"marks", value.marks},
          {"value", ToJson(value.value)}};
}

Json ToJson(const NamedThread& value) { return {{"tid", value.tid}, {"name", value.name}}; }

Json ToJson(const NamedStream& value) {
  return {{"name", value.name},
          {"context", value.mapped ? Json(value.context) : Json(nullptr)},
          {"stream", value.mapped ? Json(value.stream) : Json(nullptr)},
          {"handle", value.handle},
          {"operations", value.mapped ? Json(value.operations) : Json(nullptr)}};
}

Json ToJson(const NvtxReport& value) {
  return {{"annotations", List(value.annotations)},
          {"threads", List(value.threads)},
          {"streams", List(value.streams)},
          {"open_at_end", value.open_at_end}};
}

Json ToJson(const DeviceMemory& value) {
  return {{"device", value.device},
          {"peak_bytes", value.peak_bytes},
          {"peak_at_ns", Number(value.peak_at_ns)},
          {"bytes_at_end", value.bytes_at_end}};
}

Json ToJson(const AllocationSummary& value) {
  return {{"device", value.device},
          {"memory", value.memory},
          {"pooled", value.pooled},
          {"allocations", value.allocations},
          {"bytes", value.bytes},
          {"frees", value.frees},
          {"bytes_freed", value.bytes_freed},
          {"frees_of_earlier", value.frees_of_earlier},
          {"peak_bytes", value.peak_bytes},
          {"peak_at_ns", Number(value.peak_at_ns)},
          {"bytes_at_device_peak", value.bytes_at_device_peak},
          {"at_end", value.at_end},
          {"bytes_at_end", value.bytes_at_end}};
}

Json ToJson(const PoolReport& value) {
  const auto size = [&](uint64_t bytes) { return value.imported ? Json(nullptr) : Json(bytes); };
  return {{"device", value.device},
          {"address", value.address},
          {"imported", value.imported},
          {"managed", value.managed},
          {"operations", value.operations},
          {"trims", value.trims},
          {"reserved_peak", size(value.reserved_peak)},
          {"used_peak", size(value.used_peak)},
          {"reserved_at_end", size(value.reserved_at_end)},
          {"used_at_end", size(value.used_at_end)},
          {"release_threshold", size(value.release_threshold)}};
}

Json ToJson(const RangeAllocations& value) {
  return {{"range", value.range},
          {"allocations", value.allocations},
          {"bytes", value.bytes},
          {"device_bytes", value.device_bytes},
          {"bytes_at_end", value.bytes_at_end}};
}

Json ToJson(const UnifiedMemorySummary& value) {
  return {{"kind", value.kind},
          {"cause", value.cause},
          {"device", value.device ? Json(*value.device) : Json(nullptr)},
          {"count", value.count},
          {"bytes", value.bytes},
          {"fault_groups", value.fault_groups},
          {"time_ns", Number(value.time_ns)}};
}

Json ToJson(const MemoryReport& value) {
  if (value.empty()) return nullptr;
  return {{"devices", List(value.devices)},       {"kinds", List(value.kinds)},
          {"pools", List(value.pools)},           {"ranges", List(value.ranges)},
          {"frees_missing", value.frees_missing}, {"records_lost", value.records_lost},
          {"unified", List(value.unified)}};
}

Json ToJson(const NoticeReport& value) {
  return {{"severity", value.severity},
          {"subsystem", value.subsystem},
          {"what", value.what},
          {"fix", value.fix}};
}

template <typename T>
Json List(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(ToJson(value));
  return list;
}

Json ToJson(const Report& report) {
  const Totals& totals = report.totals;
  return {{"schema", kSchema},
          {"error", report.error},
          {"command", report.command},
          {"host", report.host},
          {"pid", report.pid},
          {"rank", report.rank},
          {"prof_version", report.prof_version},
          {"nvidia_driver", report.nvidia_driver},
          {"span_ns", Number(report.span_ns)},
          {"profiler_ns", Number(report.profiler_ns)},
          {"paused_ns", Number(report.paused_ns)},
          {"undisturbed_ns", Number(report.undisturbed_ns)},
          {"counter_cost_ns", Number(report.counter_cost_ns)},
          {"totals",
           {{"kernels", totals.kernels},
            {"copies", totals.copies},
            {"memsets", totals.memsets},
            {"api_calls", totals.api_calls},
            {"ranges", totals.ranges},
            {"samples", totals.samples},
            {"graphs", totals.graphs}}},
          {"devices", List(report.devices)},
          {"actions", List(report.actions)},
          {"rows", List(report.rows)},
          {"ranges", List(report.ranges)},
          {"kernels", List(report.kernels)},
          {"verdicts",
           {{"share", Number(report.verdicts.share)},
            {"counters", Number(report.verdicts.counters)},
            {"pm_samples", Number(report.verdicts.pm_samples)},
            {"both", Number(report.verdicts.both)},
            {"duration", Number(report.verdicts.duration)},
            {"missing", report.verdicts.missing}}},
          {"regions", List(report.regions)},
          {"gaps", List(report.gaps)},
          {"copies", List(report.copies)},
          {"api_calls", List(report.api_calls)},
          {"streams", List(report.streams)},
          {"findings", List(report.findings)},
          {"findings_missing", report.findings_missing},
          {"continuous", List(report.continuous)},
          {"nvtx", ToJson(report.nvtx)},
          {"memory", ToJson(report.memory)},
          {"pm_samples_lost", report.pm_samples_lost},
          {"pm_restarts", report.pm_restarts},
          {"notices", List(report.notices)},
          {"integrity", report.integrity}};
}

}  // namespace

void WriteJson(std::ostream& out, const Report& report) {
  const std::string text = ToJson(report).dump(2, ' ', false, Json::error_handler_t::replace);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.put('\n');
}

}  // namespace prof
