// SPDX-License-Identifier: Apache-2.0
//
// What the compiler would write for the large reports in each file that has one.
#include "prof/report.h"

namespace prof {

Report::Report() = default;
Report::~Report() = default;
Report::Report(const Report& other) = default;
Report::Report(Report&& other) noexcept = default;
Report& Report::operator=(const Report& other) = default;
Report& Report::operator=(Report&& other) noexcept = default;

KernelReport::KernelReport() = default;
KernelReport::KernelReport(const KernelLaunches& of_launches, const Measured& of_counters)
    : KernelLaunches(of_launches), Measured(of_counters) {}
KernelReport::~KernelReport() = default;
KernelReport::KernelReport(const KernelReport& other) = default;
KernelReport::KernelReport(KernelReport&& other) noexcept = default;
KernelReport& KernelReport::operator=(const KernelReport& other) = default;
KernelReport& KernelReport::operator=(KernelReport&& other) noexcept = default;

}  // namespace prof
