// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/kernel.h"

namespace prof {

Json ToJson(const std::optional<KernelCode>& code) {
  if (!code) return nullptr;
  const auto count = [](const KernelCode::Count& value) {
    return Json{{"all", value.all}, {"in_loops", value.in_loops}};
  };
  Json json = {{"instructions", count(code->instructions)}, {"calls_others", code->calls_others}};
  for (const KernelCode::Kind& kind : code->kinds()) json[kind.name] = count(kind.count);
  return json;
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
          {"run_is_read", value.run_is_read},
          {"run_hz_bound", run ? Number(value.run_hz_bound) : Json(nullptr)},
          {"run_missing", value.run_missing},
          {"agreeing", value.agreeing},
          {"explains", value.explains}};
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

Json ToJson(const std::vector<prof::Doubt>& values) {
  Json doubts = Json::array();
  for (const prof::Doubt& doubt : values)
    doubts.push_back({{"id", doubt.id}, {"text", doubt.text}});
  return doubts;
}

Json ToJson(const Verdict& value) {
  return {{"limiter", ToString(value.limiter)},
          {"confidence", ToString(value.confidence)},
          {"doubts", ToJson(value.doubts)},
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

Json ToJson(const KernelOp& value) {
  return {{"name", value.name},
          {"forward", value.forward},
          {"backward", value.backward},
          {"time_ns", Number(value.time_ns)},
          {"launches", value.launches}};
}

Json ToJson(const KernelModule& value) {
  return {{"name", value.name},
          {"backward", value.backward},
          {"time_ns", Number(value.time_ns)},
          {"launches", value.launches}};
}

Json ToJson(const KernelSource& value) {
  return {{"file", value.file},
          {"line", value.line != 0 ? Json(value.line) : Json(nullptr)},
          {"function", value.function},
          {"backward", value.backward},
          {"time_ns", Number(value.time_ns)},
          {"launches", value.launches}};
}

Json ToJson(const LaunchCourse& value) {
  if (value.empty()) return nullptr;
  Json units = Json::array();
  for (const LaunchCourse::Unit& unit : value.units) {
    Json parts = Json::array();
    for (const double part : unit.percent) parts.push_back(Number(part));
    units.push_back({{"unit", unit.name}, {"metric", unit.metric}, {"percent", std::move(parts)}});
  }
  return {{"part_ns", Number(value.part_ns)},
          {"samples", value.samples},
          {"launches", value.launches},
          {"samples_of_part", value.samples_of_part},
          {"units", std::move(units)}};
}

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
          {"local_bytes_per_thread",
           value.local_known ? resource(value.local_bytes_per_thread) : Json(nullptr)},
          {"launches", value.launches},
          {"loading_launches", value.loading_launches},
          {"duration_ns", ToJson(value.duration_ns)},
          {"duration_from_counters", value.duration_from_counters},
          {"comes_again", value.comes_again},
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
          {"course", ToJson(value.course)},
          {"code", ToJson(value.code)},
          {"occupancy", ToJson(value.occupancy)},
          {"clock", ToJson(value.clock)},
          {"roofline", ToJson(value.roofline)},
          {"flops", List(value.flops)},
          {"speed_of_light", ToJson(value.speed_of_light)},
          {"verdict", ToJson(value.verdict)},
          {"torch_ops", List(value.torch_ops)},
          {"torch_modules", List(value.torch_modules)},
          {"lines", List(value.lines)}};
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

}  // namespace prof
