// SPDX-License-Identifier: Apache-2.0
//
// The torch table sums up what each op of PyTorch cost on the host and on the GPU.
#ifndef PROF_LIB_ANALYZER_TORCH_TABLE_H_
#define PROF_LIB_ANALYZER_TORCH_TABLE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/torch_report.h"

namespace prof::analyzer {

[[nodiscard]] bool IsOp(model::TorchScope scope);  // neither a module nor a range
[[nodiscard]] TorchOp::Kind KindOf(model::TorchScope scope);

// Most time first.
[[nodiscard]] std::vector<LimiterTime> LimiterTimes(const std::map<Limiter, int64_t>& limiters);

// `kernels`: by group, decided.
[[nodiscard]] TorchReport BuildTorchTable(const model::Model& model, const RangeFamilies& families,
                                          const Timeline& timeline, const KernelGroups& groups,
                                          const std::vector<KernelReport>& kernels);

// Fills KernelReport::torch_ops. `kernels`: by group.
void SetTorchOps(const model::Model& model, const Timeline& timeline, const KernelGroups& groups,
                 std::vector<KernelReport>* kernels);

// By path: its place in `report.ops`, which was built from this model. kNoIndex: it is no op, or
// one that has no row.
[[nodiscard]] std::vector<int32_t> TorchRows(const model::Model& model, const TorchReport& report);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TORCH_TABLE_H_
