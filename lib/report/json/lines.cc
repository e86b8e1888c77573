// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/lines.h"

namespace prof {

Json ToJson(const LineReport& value) {
  const bool kernel = !value.dominant.empty();
  return {{"file", value.file},
          {"line", value.line != 0 ? Json(value.line) : Json(nullptr)},
          {"function", value.function},
          {"module", value.module.empty() ? Json(nullptr) : Json(value.module)},
          {"operations", value.operations},
          {"kernels", value.kernels},
          {"time_ns", Number(value.time_ns)},
          {"backward_ns", Number(value.backward_ns)},
          {"idle_ns", Number(value.idle_ns)},
          {"steps_ns", Number(value.steps_ns)},
          {"host_samples", value.host_samples},
          {"host_idle_ns", Number(value.host_idle_ns)},
          {"host_share", value.host_samples > 0 ? Json{{"value", Number(value.host_share)},
                                                       {"low", Number(value.host_share_low)},
                                                       {"high", Number(value.host_share_high)}}
                                                : Json(nullptr)},
          {"dominant", kernel ? Json(value.dominant) : Json(nullptr)},
          {"limiter", kernel ? Json(ToString(value.limiter)) : Json(nullptr)}};
}

Json ToJson(const SourceLine& value) {
  return {{"file", value.file},
          {"line", value.line != 0 ? Json(value.line) : Json(nullptr)},
          {"function", value.function},
          {"operations", value.operations},
          {"time_ns", Number(value.time_ns)},
          {"backward_ns", Number(value.backward_ns)},
          {"idle_ns", Number(value.idle_ns)},
          {"host_idle_ns", Number(value.host_idle_ns)}};
}

Json ToJson(const HostIdleReport& value) {
  if (!value.recorded) return nullptr;
  return {{"gaps", value.gaps},
          {"sampled_gaps", value.sampled_gaps},
          {"idle_ns", Number(value.idle_ns)},
          {"sampled_ns", Number(value.sampled_ns)},
          {"samples", value.samples},
          {"native", value.native},
          {"torn", value.torn},
          {"unread", value.unread},
          {"enough", value.enough}};
}

Json ToJson(const LineSteps& value) {
  if (value.range.empty()) return nullptr;
  return {{"range", value.range},
          {"by_launches", value.by_launches},
          {"count", value.count},
          {"time_ns", Number(value.time_ns)}};
}

Json ToJson(const LinesReport& value) {
  return {{"own", List(value.own)},
          {"all", List(value.all)},
          {"within", List(value.within)},
          {"without_stack_ns", Number(value.without_stack_ns)},
          {"host_idle", ToJson(value.host_idle)},
          {"steps", ToJson(value.steps)}};
}

}  // namespace prof
