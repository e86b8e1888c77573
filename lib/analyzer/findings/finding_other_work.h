// SPDX-License-Identifier: Apache-2.0
//
// The finding that something else works on the GPU, and what it puts in doubt.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_OTHER_WORK_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_OTHER_WORK_H_

#include <vector>

#include "lib/analyzer/continuous/other_work.h"
#include "prof/report.h"

namespace prof::analyzer {

inline constexpr char kOtherWorkFinding[] = "other-work";

// One for each device, before all others: it has no gain, and those rest on the same times.
void AddOtherWork(const std::vector<OtherWork>& work, std::vector<Finding>* findings);

// What counters or PM samples decided on such a device has low confidence.
void DoubtBesideOtherWork(const std::vector<OtherWork>& work, std::vector<KernelReport>* kernels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_OTHER_WORK_H_
