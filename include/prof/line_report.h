// SPDX-License-Identifier: Apache-2.0
//
// The report by line: the GPU's time by the lines of the program's source that caused it.
#ifndef PROF_LINE_REPORT_H_
#define PROF_LINE_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "prof/kernel_report.h"

namespace prof {

/// A line of a function, and what it launched; with host samples, also a line that launched
/// nothing, and for which the GPU waited. Work of a CUDA graph belongs to the line that
/// was captured, where that is known, and else to the line of the launch.
struct LineReport {
  std::string file;      ///< As Python or the compiler has it; empty: not known (native code).
  std::string function;  ///< "Model.forward", "solve(double*)"; without a name: "libx.so+0x1234".
  std::string module;    ///< Native code: the program or library that has it. Empty: Python.
  uint32_t line = 0;     ///< 0: not known.
  int64_t operations = 0;
  int64_t kernels = 0;  ///< Of these; a graph that was recorded as one operation counts as one.
  double time_ns = 0;   ///< Its share of the GPU's busy time. Lines sum to that with backward_ns.
  /// Of the GPU's busy time, that of the backward pass of PyTorch's ops which launched work here
  /// (SessionOptions::torch). It is in no line's time_ns.
  double backward_ns = 0;
  /// Idle time of the GPU that is charged to this line: its call waited for the GPU, the host was
  /// found in it (SessionOptions::host_samples), or else it launched what came late. Lines sum to
  /// the idle time, without gaps for which no stack is known.
  double idle_ns = 0;
  /// Busy time, backward pass and idle time of the line in the steps (LinesReport::steps).
  double steps_ns = 0;
  std::string dominant;  ///< Name of its kernel with most time; empty: it launched none.
  Limiter limiter = Limiter::kNotMeasured;  ///< Of that kernel.

  /// Host samples that found the host in this line while the GPU waited for it; 0 without samples.
  int64_t host_samples = 0;
  /// Their share of all samples of such gaps (0..1), with the ends of Wilson's interval of 95 %.
  double host_share = 0, host_share_low = 0, host_share_high = 0;
  /// That share of HostIdleReport::sampled_ns: how long the GPU waited while the host was here.
  double host_idle_ns = 0;
};

/// A line with all that it called: a launch or a sample of the host counts for each line in its
/// stack, and once for a line that is in it several times.
struct SourceLine {
  std::string file;      ///< As LineReport::file.
  std::string function;  ///< One of those that have the line.
  uint32_t line = 0;     ///< 0: not known.
  int64_t operations = 0;
  double time_ns = 0;      ///< As LineReport::time_ns. The lines of a stack have the same time.
  double backward_ns = 0;  ///< As LineReport::backward_ns.
  double idle_ns = 0;      ///< As LineReport::idle_ns.
  /// How long the GPU waited while the host was here or in what it called; 0 without samples
  /// enough.
  double host_idle_ns = 0;
};

/// Idle time of the GPU in which it waited for the host, and the looks at the host in it
/// (SessionOptions::host_samples). The shares of lines are shares of its samples; time without
/// samples is in no line.
struct HostIdleReport {
  bool recorded = false;     ///< The recording has host samples.
  int64_t gaps = 0;          ///< Gaps in which the GPU waited for the host.
  int64_t sampled_gaps = 0;  ///< Of these, gaps with a sample.
  double idle_ns = 0;        ///< Of the gaps.
  double sampled_ns = 0;     ///< Of those with a sample.
  int64_t samples = 0;       ///< In them.
  int64_t native = 0;        ///< Of the samples: the thread had no Python frames.
  int64_t torn = 0;          ///< The frames changed while prof read them.
  int64_t unread = 0;        ///< The frames could not be read.
  bool enough = false;       ///< There are samples enough to name lines.
};

/// The steps of the run: instances of the outermost NVTX range that is entered again and again, 20
/// or more; without one, turns of launches that repeat. The first two are left out, because they
/// may have the warm-up.
struct LineSteps {
  std::string range;  ///< Its path, or "57 launches that repeat". Empty: there are no steps.
  bool by_launches = false;
  int64_t count = 0;  ///< Without the first two.
  /// From the begin of the third one to the end of what the last one launched.
  double time_ns = 0;
};

/// Empty where no call has a stack.
struct LinesReport {
  /// By the innermost frame of a stack that is the program's own: its file is no installed package,
  /// no part of Python's library, no header of the system or of CUDA, and exists. By steps_ns
  /// where there are steps, then by time, backward pass and idle time together, descending.
  std::vector<LineReport> own;
  /// By the innermost frame, whatever it is.
  std::vector<LineReport> all;
  /// Each line that is in a stack, by file and line. What is in no stack is in none.
  std::vector<SourceLine> within;
  /// The GPU's busy time whose calls have no stack, and no forward op with one: without native
  /// stacks the program called from another language or on a thread without Python frames; or the
  /// stack was not recorded.
  double without_stack_ns = 0;
  HostIdleReport host_idle;
  LineSteps steps;
};

}  // namespace prof

#endif  // PROF_LINE_REPORT_H_
