// SPDX-License-Identifier: Apache-2.0
//
// Each operation has a name of the page's table: its kernel, or what was copied or set.
#ifndef PROF_LIB_HTML_OPERATION_NAMES_H_
#define PROF_LIB_HTML_OPERATION_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/html/gather_ranges.h"
#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::html {

class OperationNames {
 public:
  // Adds the names of all kernels. The arguments outlive this.
  OperationNames(const Report& report, const analyzer::KernelGroups& groups, const RangeRows& rows,
                 TimelineData* data);

  // The name of operation `i`, which is `op`.
  [[nodiscard]] uint32_t Of(size_t i, const model::Op& op);

 private:
  using Kind = std::tuple<model::OpKind, model::CopyKind, model::MemoryKind, model::MemoryKind,
                          int32_t>;  // the last one is the range

  const analyzer::KernelGroups& groups_;
  const RangeRows& rows_;
  TimelineData* data_;
  std::map<Kind, uint32_t> others_;
};

}  // namespace prof::html

#endif  // PROF_LIB_HTML_OPERATION_NAMES_H_
