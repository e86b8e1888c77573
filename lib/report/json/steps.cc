// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/steps.h"

#include "lib/report/json/torch.h"

namespace prof {

Json ToJson(const StepPartTime& value) {
  return {{"part", ToString(value.part)},     {"host_ns", Number(value.host_ns)},
          {"gpu_ns", Number(value.gpu_ns)},   {"alone_ns", Number(value.alone_ns)},
          {"idle_ns", Number(value.idle_ns)}, {"path_ns", Number(value.path_ns)}};
}

Json ToJson(const StepIdle& value) {
  return {{"cause", ToString(value.cause)}, {"time_ns", Number(value.time_ns)}};
}

Json ToJson(const StepPathTime& value) {
  return {{"kind", ToString(value.kind)}, {"time_ns", Number(value.time_ns)}};
}

Json ToJson(const StepReport& value) {
  Json json = {{"index", value.index},
               {"name", value.name},
               {"begin_ns", Number(value.begin_ns)},
               {"duration_ns", Number(value.duration_ns)},
               {"busy_ns", Number(value.busy_ns)},
               {"idle_ns", Number(value.idle_ns)},
               {"idle", List(value.idle)},
               {"host_ns", Number(value.host_ns)},
               {"blocked_ns", Number(value.blocked_ns)},
               {"operations", value.operations},
               {"copies", value.copies},
               {"copied_bytes", value.copied_bytes},
               {"allocated_bytes", value.allocated_bytes},
               {"left_out", value.left_out},
               {"outlier", value.outlier},
               {"surplus", nullptr},
               {"parts", List(value.parts)},
               {"path", List(value.path)}};
  if (!value.surplus.what.empty()) {
    json["surplus"] = {{"what", value.surplus.what}, {"time_ns", Number(value.surplus.time_ns)}};
  }
  return json;
}

Json ToJson(const StepPathItem& value) {
  Json json = {{"kind", ToString(value.kind)},
               {"what", value.what},
               {"where", value.where},
               {"part", ToString(value.part)},
               {"limiter", nullptr},
               {"limiters", List(value.limiters)},
               {"count", value.count},
               {"time_ns", Number(value.time_ns)},
               {"host_samples", value.host_samples}};
  if (value.kind == StepPathKind::kKernel) json["limiter"] = ToString(value.limiter);
  return json;
}

Json ToJson(const StepOffPath& value) {
  return {{"kind", ToString(value.kind)},
          {"what", value.what},
          {"gpu_ns", Number(value.gpu_ns)},
          {"path_ns", Number(value.path_ns)}};
}

Json ToJson(const StepPhase& value) {
  return {{"range", value.range},
          {"steps", value.steps},
          {"begin_ns", Number(value.begin_ns)},
          {"end_ns", Number(value.end_ns)}};
}

Json ToJson(const StepsReport& value) {
  return {{"missing", value.missing},
          {"range", value.range},
          {"by_launches", value.by_launches},
          {"other_phases", List(value.other_phases)},
          {"counted", value.counted},
          {"counted_share", Number(value.counted_share)},
          {"warning", value.warning},
          {"duration_ns", ToJson(value.duration_ns)},
          {"p90_ns", Number(value.p90_ns)},
          {"p99_ns", Number(value.p99_ns)},
          {"first_ns", Number(value.first_ns)},
          {"last_ns", Number(value.last_ns)},
          {"rising", Number(value.rising)},
          {"parts", List(value.parts)},
          {"path", List(value.path)},
          {"items", List(value.items)},
          {"off_path", List(value.off_path)},
          {"edges",
           {{"recorded", value.edges.recorded},
            {"by_time", value.edges.by_time},
            {"unknown", value.edges.unknown}}},
          {"not_recorded", value.not_recorded},
          {"steps", List(value.steps)}};
}

}  // namespace prof
