// SPDX-License-Identifier: Apache-2.0
//
// Kernels for the rules: a quiet one, whose metrics are then set one by one.
#ifndef PROF_TEST_ANALYZER_RULES_KERNELS_H_
#define PROF_TEST_ANALYZER_RULES_KERNELS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::test {

// An H200 by the numbers that the rules read.
model::Device Gpu();

// 100 us, 20 launches, 40 waves at full occupancy; all metrics of the level stalls are there and
// low, so that no rule but the last one matches.
KernelReport QuietKernel();

// `unit` is what comes before ".avg.pct_of_peak_sustained_elapsed".
void SetUse(KernelReport* kernel, const std::string& unit, double pct);
void Set(KernelReport* kernel, const std::string& metric, double value);
// Cycles per issued instruction; the latency is the sum over all reasons.
void SetStall(KernelReport* kernel, const std::string& reason, double cycles);
void Remove(KernelReport* kernel, const std::string& metric);
void SetGrid(KernelReport* kernel, uint32_t blocks, int blocks_per_sm);

// Computes the use of the units from the metrics first.
Verdict Decide(KernelReport kernel, const model::Device& device = Gpu());

bool HasNote(const Verdict& verdict, std::string_view id);
std::vector<std::string> Doubts(const Verdict& verdict);  // their ids
bool Mentions(const std::vector<std::string>& lines, std::string_view text);
bool Offers(const Verdict& verdict, std::string_view id);  // an action
bool AdvisesOccupancy(const Verdict& verdict);

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_RULES_KERNELS_H_
