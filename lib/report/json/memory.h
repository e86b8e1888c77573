// SPDX-License-Identifier: Apache-2.0
//
// Allocations and unified memory as JSON.
#ifndef PROF_LIB_REPORT_JSON_MEMORY_H_
#define PROF_LIB_REPORT_JSON_MEMORY_H_

#include "lib/report/json/values.h"
#include "prof/memory_report.h"

namespace prof {

[[nodiscard]] Json ToJson(const MemoryHolder& value);
[[nodiscard]] Json ToJson(const SourcePlace& value);
[[nodiscard]] Json ToJson(const LineHolder& value);
[[nodiscard]] Json ToJson(const OpHolder& value);
[[nodiscard]] Json ToJson(const BlocksOfSize& value);
[[nodiscard]] Json ToJson(const DeviceMemory& value);
[[nodiscard]] Json ToJson(const GrowingHolder& value);
[[nodiscard]] Json ToJson(const GrowingLine& value);
[[nodiscard]] Json ToJson(const MemoryGrowth& value);
[[nodiscard]] Json ToJson(const AllocationFailure& value);
[[nodiscard]] Json ToJson(const AllocationSummary& value);
[[nodiscard]] Json ToJson(const PoolReport& value);
[[nodiscard]] Json ToJson(const RangeAllocations& value);
[[nodiscard]] Json ToJson(const UnifiedMemorySummary& value);
[[nodiscard]] Json ToJson(const MemoryReport& value);

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_MEMORY_H_
