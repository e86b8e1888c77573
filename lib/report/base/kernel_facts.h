// SPDX-License-Identifier: Apache-2.0
//
// What the text and CSV reports say of a kernel, one phrase each.
#ifndef PROF_LIB_REPORT_BASE_KERNEL_FACTS_H_
#define PROF_LIB_REPORT_BASE_KERNEL_FACTS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/report.h"

namespace prof::report {

// Use of a hardware unit as the rules see it: the highest of its metrics, a fraction of its peak.
struct UnitUse {
  const char* unit;            // "DRAM"
  std::optional<double> used;  // absent: not measured
  int64_t n = 0;               // launches it was measured on
};

// DRAM, L2, L1, tensor, FMA, in this order.
std::vector<UnitUse> UnitUses(const KernelReport& kernel);

std::string LaunchShape(const KernelReport& kernel);    // "(128,32) x 256"
std::string OccupancyText(const KernelReport& kernel);  // sentence; "" when unknown
std::string RooflineText(const KernelReport& kernel);   // "" when nothing was measured
std::string FlopsText(const KernelReport& kernel);      // kinds that it executes; "" for none
std::string TimeSource(const KernelReport& kernel);     // "" when its time is the timeline's
// "83", "?" above 100 %, "-" when it was not measured.
std::string PercentCell(const std::optional<double>& fraction);
// The verdict in paragraphs: what limits the kernel and on what evidence; what to do.
std::vector<std::string> VerdictText(const KernelReport& kernel);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_KERNEL_FACTS_H_
