// SPDX-License-Identifier: Apache-2.0
//
// Kernels as lines of a table: the signatures of one kernel on one GPU are one line.
#ifndef PROF_LIB_REPORT_TEXT_KERNEL_LINES_H_
#define PROF_LIB_REPORT_TEXT_KERNEL_LINES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

struct KernelLine {
  // Its signatures, most time first: the first one has the limiter and the numbers of the line.
  std::vector<const KernelReport*> signatures;
  std::string name;  // with what tells it from other kernels of the same short name
  double total_ns = 0;
  double busy_ns = 0;
  double share = 0;  // of the undisturbed time
  int64_t launches = 0;
  double gain_at_most_ns = 0;  // of all signatures; of `busy_ns`, as in the ranges
  int64_t other_limiters = 0;  // signatures with another limiter than the first one

  [[nodiscard]] const KernelReport& main() const { return *signatures.front(); }
  [[nodiscard]] double average_ns() const;
};

// In the order that `sort` asks for; equal lines in the order of the report.
[[nodiscard]] std::vector<KernelLine> KernelLines(const Report& report, SortBy sort);

// The two numbers that decided, most first: "DRAM 76" and "L2 54", the use of the two busiest units
// in % of their peak, or what else it was. Empty: there is none.
struct TwoNumbers {
  std::string first, second;
};
[[nodiscard]] TwoNumbers NumbersOf(const KernelReport& kernel);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_KERNEL_LINES_H_
