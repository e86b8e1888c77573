// SPDX-License-Identifier: Apache-2.0
//
// The detail of one kernel: everything that is known about it.
#ifndef PROF_LIB_REPORT_TEXT_DETAILS_KERNEL_DETAIL_H_
#define PROF_LIB_REPORT_TEXT_DETAILS_KERNEL_DETAIL_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/kernel_report.h"

namespace prof {

void WriteKernelDetail(std::ostream& out, const KernelReport& kernel,
                       const TextOptions& options = {});

}  // namespace prof

#endif  // PROF_LIB_REPORT_TEXT_DETAILS_KERNEL_DETAIL_H_
