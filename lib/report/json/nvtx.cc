// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/nvtx.h"

namespace prof {

Json ToJson(const AnnotationReport& value) {
  return {{"range", value.range}, {"field", value.field}, {"category", value.category},
          {"color", value.color}, {"marks", value.marks}, {"value", ToJson(value.value)}};
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

}  // namespace prof
