// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/unified_memory.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace prof::analyzer {
namespace {

using model::UnifiedMemory;
using model::UnifiedMemoryKind;

const char* KindName(UnifiedMemoryKind kind) {
  switch (kind) {
    case UnifiedMemoryKind::kHostToDevice:
      return "host to device";
    case UnifiedMemoryKind::kDeviceToHost:
      return "device to host";
    case UnifiedMemoryKind::kCpuFault:
      return "CPU page faults";
    case UnifiedMemoryKind::kGpuFault:
      return "GPU page faults";
    case UnifiedMemoryKind::kThrashing:
      return "thrashing";
    case UnifiedMemoryKind::kThrottling:
      return "throttling";
    case UnifiedMemoryKind::kRemoteMap:
      return "remote map";
    case UnifiedMemoryKind::kDeviceToDevice:
      return "device to device";
    case UnifiedMemoryKind::kUnknown:
      break;
  }
  return "unknown";
}

template <size_t kCount>
const char* NameAt(const char* const (&names)[kCount], uint32_t number) {
  return number < kCount ? names[number] : "unknown";
}

// The numbers are CUPTI's; each kind has its own.
const char* CauseName(UnifiedMemoryKind kind, uint32_t cause) {
  static constexpr const char* kMigrations[] = {"unknown",  "user",     "coherence",
                                                "prefetch", "eviction", "access counters"};
  static constexpr const char* kAccesses[] = {"unknown", "read", "write", "atomic", "prefetch"};
  static constexpr const char* kMaps[] = {"unknown", "coherence",     "thrashing",
                                          "policy",  "out of memory", "eviction"};
  switch (kind) {
    case UnifiedMemoryKind::kHostToDevice:
    case UnifiedMemoryKind::kDeviceToHost:
    case UnifiedMemoryKind::kDeviceToDevice:
      return NameAt(kMigrations, cause);
    case UnifiedMemoryKind::kCpuFault:
    case UnifiedMemoryKind::kGpuFault:
      return NameAt(kAccesses, cause);
    case UnifiedMemoryKind::kRemoteMap:
      return NameAt(kMaps, cause);
    case UnifiedMemoryKind::kThrashing:
    case UnifiedMemoryKind::kThrottling:
    case UnifiedMemoryKind::kUnknown:
      break;
  }
  return "";
}

std::optional<uint32_t> DeviceOf(const UnifiedMemory& event) {
  switch (event.kind) {
    case UnifiedMemoryKind::kHostToDevice:
    case UnifiedMemoryKind::kDeviceToDevice:
      return event.destination;
    case UnifiedMemoryKind::kDeviceToHost:
    case UnifiedMemoryKind::kGpuFault:
      return event.source;
    default:  // a processor that may be the CPU, or none
      return std::nullopt;
  }
}

}  // namespace

std::vector<UnifiedMemorySummary> SummarizeUnifiedMemory(const model::Model& model) {
  std::map<std::tuple<UnifiedMemoryKind, uint32_t, std::optional<uint32_t>>, UnifiedMemorySummary>
      summaries;
  for (const UnifiedMemory& event : model.unified_memory) {
    const std::optional<uint32_t> device = DeviceOf(event);
    UnifiedMemorySummary& summary = summaries[{event.kind, event.cause, device}];
    if (summary.count++ == 0) {
      summary.kind = KindName(event.kind);
      summary.cause = CauseName(event.kind, event.cause);
      summary.device = device;
    }
    uint64_t& sum =
        event.kind == UnifiedMemoryKind::kGpuFault ? summary.fault_groups : summary.bytes;
    sum += std::min(event.value, std::numeric_limits<uint64_t>::max() - sum);
    summary.time_ns += static_cast<double>(event.end_ns - event.start_ns);
  }
  std::vector<UnifiedMemorySummary> list;
  list.reserve(summaries.size());
  for (auto& [key, summary] : summaries) list.push_back(std::move(summary));
  std::stable_sort(list.begin(), list.end(),
                   [](const UnifiedMemorySummary& a, const UnifiedMemorySummary& b) {
                     return a.time_ns > b.time_ns;
                   });
  return list;
}

}  // namespace prof::analyzer
