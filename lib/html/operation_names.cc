// SPDX-License-Identifier: Apache-2.0
#include "lib/html/operation_names.h"

#include <unordered_map>
#include <utility>

#include "lib/format/enums.h"

namespace prof::html {
namespace {

// What makes a signature, as text. Reports and groups have the same fields of it.
std::string SignatureOf(const KernelLaunches& kernel) {
  std::string text = kernel.full_name + '\n' + kernel.range;
  const auto add = [&](uint32_t value) { text += '\n' + std::to_string(value); };
  add(kernel.device);
  for (const uint32_t value : kernel.grid) add(value);
  for (const uint32_t value : kernel.block) add(value);
  add(kernel.dynamic_shared_bytes);
  return text;
}

std::string LabelOf(const model::Op& op) {
  if (op.kind == model::OpKind::kMemset) return "memset";
  return std::string("copy, ") + format::Name(op.copy) + ", " + format::Name(op.source) + " to " +
         format::Name(op.destination);
}

}  // namespace

OperationNames::OperationNames(const Report& report, const analyzer::KernelGroups& groups,
                               const RangeRows& rows, TimelineData* data)
    : groups_(groups), rows_(rows), data_(data) {
  std::unordered_map<std::string, int32_t> kernels;
  for (size_t i = 0; i < report.kernels.size(); ++i) {
    kernels.emplace(SignatureOf(report.kernels[i]), static_cast<int32_t>(i));
  }
  for (const analyzer::KernelGroup& group : groups.groups) {
    Name name;
    name.label = group.launches.name;
    name.kind = group.launches.whole_graph ? "graph" : "kernel";
    const auto found = kernels.find(SignatureOf(group.launches));
    if (found != kernels.end()) name.kernel = found->second;
    name.range = rows[group.path];
    data->names.push_back(std::move(name));
  }
}

uint32_t OperationNames::Of(size_t i, const model::Op& op) {
  if (groups_.group_of_op[i] != model::kNoIndex) {
    return static_cast<uint32_t>(groups_.group_of_op[i]);
  }
  const Kind kind{op.kind, op.copy, op.source, op.destination, rows_[op.path]};
  const auto [it, added] = others_.try_emplace(kind, static_cast<uint32_t>(data_->names.size()));
  if (added) {
    Name name;
    name.label = LabelOf(op);
    name.kind = op.kind == model::OpKind::kMemset ? "memset" : "copy";
    name.range = rows_[op.path];
    data_->names.push_back(std::move(name));
  }
  return it->second;
}

}  // namespace prof::html
