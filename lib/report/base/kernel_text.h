// SPDX-License-Identifier: Apache-2.0
//
// Phrases about a kernel or region in the text report.
#ifndef PROF_LIB_REPORT_BASE_KERNEL_TEXT_H_
#define PROF_LIB_REPORT_BASE_KERNEL_TEXT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/report/base/table.h"
#include "prof/kernel_report.h"
#include "prof/report.h"

namespace prof::report {

// Adds the columns of DRAM, L2, L1 (or shared memory, which uses L1's data path), tensor and FMA,
// and of their samples. The last three may be left out, from the number `dispensable` on.
void AddUnitColumns(int dispensable, std::vector<Column>* columns);
// Adds the cells of these columns: "83", and the most samples of any unit.
void AddUnitCells(const Measured& counters, std::vector<std::string>* cells);

// "the kernel time"; with kernels of communication "the kernel time without communication", which
// is what VerdictCoverage is about.
[[nodiscard]] std::string CoveredTime(const Report& report);
// "; a longer run may add 2.2 %": VerdictCoverage::later; "" below 0.1 %.
[[nodiscard]] std::string OfLongerRun(const Report& report);
[[nodiscard]] std::string LaunchShape(const KernelReport& kernel);    // "(128,32) x 256"
[[nodiscard]] std::string OccupancyText(const KernelReport& kernel);  // sentence; "" when unknown
// Rates beside their peaks, and the roof above it; "" when nothing was measured.
[[nodiscard]] std::string RooflineText(const Roofline& roofline);
[[nodiscard]] std::string FlopsText(
    const KernelReport& kernel);  // kinds that it executes; "" for none
// "94 instructions, 44 of them in loops: atomics on global memory 29 (21 in loops)"; "" when its
// code was not seen.
[[nodiscard]] std::string CodeText(const KernelReport& kernel);
[[nodiscard]] std::string TimeSource(const KernelReport& kernel);  // "" when it is the timeline
// "83", "?" above 100 %, "-" when it was not measured.
[[nodiscard]] std::string PercentCell(const std::optional<double>& fraction);
// The verdict in paragraphs: the limit and the evidence, then the action. `total_ns`: all time of
// the kernel or region.
[[nodiscard]] std::vector<std::string> VerdictText(const Verdict& verdict, double total_ns);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_KERNEL_TEXT_H_
