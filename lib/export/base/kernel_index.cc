// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/kernel_index.h"

namespace prof::exporting {
namespace {

// A signature as text: KernelReport and KernelShape have the same fields.
template <typename Kernel>
std::string Key(const std::string& name, const std::string& range, uint32_t device,
                const Kernel& kernel) {
  std::string key = name + '\0' + range + '\0' + std::to_string(device);
  for (const uint32_t size : kernel.grid) key += ',' + std::to_string(size);
  for (const uint32_t size : kernel.block) key += ',' + std::to_string(size);
  return key + ',' + std::to_string(kernel.static_shared_bytes) + ',' +
         std::to_string(kernel.dynamic_shared_bytes) + ',' +
         std::to_string(kernel.registers_per_thread);
}

}  // namespace

KernelIndex::KernelIndex(const Events& events, const Report& report) : events_(&events) {
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.whole_graph) continue;
    kernels_.emplace(Key(kernel.full_name, kernel.range, kernel.device, kernel), &kernel);
  }
}

const KernelReport* KernelIndex::Find(const OperationEvent& op) const {
  if (op.kind != OperationKind::kKernel) return nullptr;
  const KernelShape& shape = events_->shapes()[op.shape];
  const auto found =
      kernels_.find(Key(shape.demangled, events_->paths()[op.path].row, op.device, shape));
  return found == kernels_.end() ? nullptr : found->second;
}

}  // namespace prof::exporting
