// SPDX-License-Identifier: Apache-2.0
//
// The report by line: the GPU's time by the lines of the program's Python source that caused it.
#ifndef PROF_LINE_REPORT_H_
#define PROF_LINE_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "prof/kernel_report.h"

namespace prof {

/// A line of a Python function, and what it launched. Work of a CUDA graph belongs to the line that
/// was captured, where that is known, and else to the line of the launch.
struct LineReport {
  std::string file;      ///< As Python has it.
  std::string function;  ///< "Model.forward"
  uint32_t line = 0;     ///< 0: not known.
  int64_t operations = 0;
  int64_t kernels = 0;   ///< Of these; a graph that was recorded as one operation counts as one.
  double time_ns = 0;    ///< Its share of the GPU's busy time: over all lines it sums to that.
  double idle_ns = 0;    ///< Time in which the GPU then idled, until the next operation began.
  std::string dominant;  ///< Name of its kernel with most time; empty: it launched none.
  Limiter limiter = Limiter::kNotMeasured;  ///< Of that kernel.
};

/// Empty where no call has a Python stack.
struct LinesReport {
  /// By the innermost frame of a stack that is the program's own: its file is no installed package,
  /// no part of Python's library, and exists. By time, descending.
  std::vector<LineReport> own;
  /// By the innermost frame, whatever it is.
  std::vector<LineReport> all;
  /// The GPU's busy time whose calls have no Python stack: the program called from another
  /// language, on a thread without Python frames, or the stack was not recorded.
  double without_stack_ns = 0;
};

}  // namespace prof

#endif  // PROF_LINE_REPORT_H_
