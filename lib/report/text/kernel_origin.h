// SPDX-License-Identifier: Apache-2.0
//
// Origins name what launched a kernel: the ops and modules of PyTorch, and the lines of source.
#ifndef PROF_LIB_REPORT_TEXT_KERNEL_ORIGIN_H_
#define PROF_LIB_REPORT_TEXT_KERNEL_ORIGIN_H_

#include <string>
#include <vector>

#include "prof/kernel_report.h"

namespace prof::report {

// Those with most of a kernel's time. Empty: none is known.
[[nodiscard]] std::string OpsOf(const KernelReport& kernel);  // "aten::mm 3.2 ms, 10 launches; ..."
[[nodiscard]] std::string ModulesOf(const KernelReport& kernel);  // "Net.fc (backward) 3.2 ms, ..."
[[nodiscard]] std::string LinesOf(const KernelReport& kernel);  // "/a/train.py:9 step 3.2 ms, ..."

// "aten::addmm, backward +2": the op with most time of kernels that no range names, and how many
// others launched them; without ops the line, "train.py:9". Empty: neither is known.
[[nodiscard]] std::string OriginOf(const std::vector<const KernelReport*>& kernels);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_KERNEL_ORIGIN_H_
