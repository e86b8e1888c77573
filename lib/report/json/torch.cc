// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/torch.h"

#include <utility>
#include <vector>

namespace prof {

Json ToJson(const LimiterTime& value) {
  return {{"limiter", ToString(value.limiter)}, {"time_ns", Number(value.time_ns)}};
}

Json ToJson(const TorchOp& value) {
  return {{"name", value.name},
          {"kind", ToString(value.kind)},
          {"backward", value.backward},
          {"forward", value.forward},
          {"calls", value.calls},
          {"cpu_ns", Number(value.cpu_ns)},
          {"cpu_self_ns", Number(value.cpu_self_ns)},
          {"gpu_ns", Number(value.gpu_ns)},
          {"gpu_self_ns", Number(value.gpu_self_ns)},
          {"launches", value.launches},
          {"backward_gpu_ns", Number(value.backward_gpu_ns)},
          {"limiters", List(value.limiters)}};
}

namespace {

Json ByShapes(const std::vector<TorchOp>& ops) {
  Json list = Json::array();
  for (const TorchOp& op : ops) {
    Json row = ToJson(op);
    row["shapes"] = op.shapes;
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace

Json ToJson(const TorchRange& value) {
  return {{"label", value.label},
          {"forward_ns", Number(value.forward_ns)},
          {"backward_ns", Number(value.backward_ns)}};
}

Json ToJson(const TorchModule& value) {
  return {{"name", value.name},
          {"parent", value.parent < 0 ? Json(nullptr) : Json(value.parent)},
          {"calls", value.calls},
          {"cpu_ns", Number(value.cpu_ns)},
          {"forward_ns", Number(value.forward_ns)},
          {"backward_ns", Number(value.backward_ns)},
          {"gpu_self_ns", Number(value.gpu_self_ns)},
          {"launches", value.launches},
          {"gain_at_most_ns", Number(value.gain_at_most_ns)},
          {"limiters", List(value.limiters)}};
}

Json ToJson(const TorchReport& value) {
  if (!value.recorded) return nullptr;
  return {{"gpu_ns", Number(value.gpu_ns)},
          {"gpu_in_ops_ns", Number(value.gpu_in_ops_ns)},
          {"backward_ns", Number(value.backward_ns)},
          {"forward_known_ns", Number(value.forward_known_ns)},
          {"forward_inferred_ns", Number(value.forward_inferred_ns)},
          {"ops", List(value.ops)},
          {"ops_by_shapes", ByShapes(value.ops_by_shapes)},
          {"ranges", List(value.ranges)},
          {"gpu_in_modules_ns", Number(value.gpu_in_modules_ns)},
          {"modules", List(value.modules)}};
}

}  // namespace prof
