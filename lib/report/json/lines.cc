// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/lines.h"

namespace prof {

Json ToJson(const LineReport& value) {
  const bool kernel = !value.dominant.empty();
  return {{"file", value.file},
          {"line", value.line != 0 ? Json(value.line) : Json(nullptr)},
          {"function", value.function},
          {"operations", value.operations},
          {"kernels", value.kernels},
          {"time_ns", Number(value.time_ns)},
          {"idle_ns", Number(value.idle_ns)},
          {"dominant", kernel ? Json(value.dominant) : Json(nullptr)},
          {"limiter", kernel ? Json(ToString(value.limiter)) : Json(nullptr)}};
}

Json ToJson(const LinesReport& value) {
  return {{"own", List(value.own)},
          {"all", List(value.all)},
          {"without_stack_ns", Number(value.without_stack_ns)}};
}

}  // namespace prof
