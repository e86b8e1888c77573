// SPDX-License-Identifier: Apache-2.0
//
// What steps used: time of the GPU and the host by part, idle time by cause, copies, memory.
#ifndef PROF_LIB_ANALYZER_STEPS_STEP_USAGE_H_
#define PROF_LIB_ANALYZER_STEPS_STEP_USAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/steps/step_parts.h"
#include "lib/analyzer/steps/step_windows.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

inline constexpr size_t kGapCauses = static_cast<size_t>(GapCause::kUnknown) + 1;
// What a step can have more of: idle time by cause, communication, copies, kernels by limiter.
inline constexpr size_t kStepClasses =
    kGapCauses + 2 + static_cast<size_t>(Limiter::kCommunication) + 1;

struct PartUsage {
  int64_t host_ns = 0, gpu_ns = 0, alone_ns = 0, idle_ns = 0;  // as in StepPartTime
};

struct StepUsage {
  int64_t busy_ns = 0, blocked_ns = 0;
  int64_t operations = 0, copies = 0;
  uint64_t copied_bytes = 0, allocated_bytes = 0;
  std::array<PartUsage, kStepParts> parts{};
  std::array<int64_t, kStepClasses> classes{};  // idle time by cause comes first
};

// "idle: host-work", "communication", "copies", "kernels: dram".
[[nodiscard]] std::string ClassName(size_t number);

// One for each window. `kernels` is parallel to the groups, and decided. Takes n log n.
[[nodiscard]] std::vector<StepUsage> MeasureSteps(
    const model::Model& model, const Timeline& timeline, const KernelGroups& groups,
    const std::vector<KernelReport>& kernels, const StepParts& parts,
    const std::vector<StepWindow>& windows, uint32_t thread);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_STEPS_STEP_USAGE_H_
