// SPDX-License-Identifier: Apache-2.0
//
// The timeline in the report: where the span went, why the GPU was idle, copies, streams, NVTX.
#ifndef PROF_TIMELINE_REPORT_H_
#define PROF_TIMELINE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/continuous_report.h"
#include "prof/kernel_report.h"
#include "prof/roofline.h"
#include "prof/statistic.h"

namespace prof {

/// A row of the first table. Rows sum to Report::span_ns: each moment of the span belongs to the
/// operation that had started first, to the gap, or to prof.
struct RangeRow {
  enum class Kind { kRange, kOutside, kGap, kProfiler };
  Kind kind = Kind::kRange;
  std::string label;       ///< NVTX path; "(no range)"; "gaps"; "prof (sampling)".
  double time_ns = 0;      ///< Exclusive GPU time.
  double share = 0;        ///< Of the undisturbed time; of prof's own row: of the span.
  int64_t instances = 0;   ///< Times the range was entered (ranges), gaps counted (gaps).
  int64_t operations = 0;  ///< Kernels, copies and memsets.
  /// Limiter of the kernel with most time in the range. If that kernel has no counters of its own:
  /// of the counted region.
  Limiter limiter = Limiter::kNotMeasured;
  std::string dominant;  ///< Name of the kernel or copy with most time.
  std::string evidence;  ///< One line.
  std::string verdict;   ///< One line: what to do.
  double gain_at_most_ns = 0;
  ContinuousValues continuous;  ///< While its operations ran; for gaps: while nothing ran.
  /// All launches of its kernels together: bytes and `time_ns` are sums over them.
  Roofline roofline;
};

/// One path among the ranges of a RangeNode.
struct RangeMember {
  std::string path;  ///< "forward/layer 3"
  int64_t calls = 0;
  double gpu_inclusive_ns = 0;
  double host_ns = 0;
};

/// An NVTX range in the tree of all ranges. Siblings that differ in numbers only are one node when
/// there are three or more: "layer *".
struct RangeNode {
  std::string name;     ///< The last part of `path`.
  std::string path;     ///< "forward/layer */attn"
  int32_t parent = -1;  ///< Index into Report::ranges; -1: none.
  int32_t depth = 0;    ///< 0: outermost.
  int64_t ranges = 1;   ///< Paths that are one in this node.
  int64_t calls = 0;    ///< Times they were entered, on all threads.
  double host_ns = 0;   ///< From push to pop, summed; of several threads it may overlap.
  double host_longest_ns = 0;
  double gpu_ns = 0;                 ///< GPU time of what was launched in it, without inner ranges.
  double gpu_inclusive_ns = 0;       ///< With inner ranges.
  int64_t operations = 0;            ///< Without inner ranges.
  std::vector<std::string> rows;     ///< Labels of its rows in Report::rows, most time first.
  std::vector<RangeMember> members;  ///< Where `ranges` > 1: the first 1,000, in order of the file.
};

/// All calls of one CUDA function.
struct ApiSummary {
  std::string name;
  int64_t count = 0;
  double total_ns = 0;  ///< On all threads; with the calls that it makes, without prof's own work.
  double longest_ns = 0;
  int64_t failed = 0;  ///< Calls that returned an error.
};

enum class GapCause {
  kSync,
  kLaunch,
  kLoading,  ///< The driver loaded or compiled code on the launching thread.
  kHostWork,
  kTransfer,
  kDependency,
  kProfiler,
  kUnknown
};
const char* ToString(GapCause cause);

/// The sum of one device's idle time with one cause.
struct GapSummary {
  uint32_t device = 0;
  GapCause cause = GapCause::kUnknown;
  int64_t count = 0;
  double total_ns = 0;
  double longest_ns = 0;
  std::string where;    ///< NVTX range or API call with most of it.
  std::string example;  ///< The longest one, in words.
};

/// The copies of one device with one direction and one pair of memory kinds.
struct CopySummary {
  uint32_t device = 0;
  std::string direction;  ///< "host to device"
  std::string memory;     ///< "pageable to device"
  int64_t count = 0;
  uint64_t bytes = 0;
  double time_ns = 0;
  double overlapped_ns = 0;  ///< Time in which a kernel ran on the same device.
  /// What a calibration of this device reached in this direction, from or to pinned memory; 0:
  /// there was none. A recording has it where `examples/ceilings --keep` ran on the machine.
  double ceiling_bytes_per_s = 0;
};

/// A stream that ran something.
struct StreamReport {
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  std::string name;                 ///< Name by NVTX; empty: none.
  std::string kind;                 ///< "default", "non-blocking", "null"; empty: not recorded.
  std::optional<int32_t> priority;  ///< CUDA's number: a smaller one goes first.
  int64_t operations = 0;
  double time_ns = 0;    ///< Sum of their durations.
  int64_t channels = 0;  ///< Hardware channels that they used; 0: not recorded.
};

/// An NVTX path with more than its time: marks, values (payloads), a category or a colour. A path
/// whose payloads have a schema has a row for each of its fields.
struct AnnotationReport {
  std::string range;     ///< The path; for a mark, the mark's name is its last part.
  std::string field;     ///< Of `value`: its name in the payload's schema; empty: it has none.
  std::string category;  ///< The program's name for it, or its number; empty: none.
  uint32_t color = 0;    ///< ARGB; 0: none.
  int64_t marks = 0;     ///< 0 in rows of a field.
  Statistic value;       ///< Numbers that the program attached; integers beyond 2^53 are rounded.
};

/// A thread that the program named.
struct NamedThread {
  uint32_t tid = 0;
  std::string name;
};

/// A stream that the program named.
struct NamedStream {
  std::string name;
  bool mapped = false;  ///< False: only `handle` is known, not the stream's operations.
  uint32_t context = 0;
  uint32_t stream = 0;
  uint64_t handle = 0;  ///< The program's cudaStream_t.
  int64_t operations = 0;
};

/// The program's NVTX data other than its ranges.
struct NvtxReport {
  std::vector<AnnotationReport> annotations;  ///< By marks and values, descending.
  std::vector<NamedThread> threads;
  std::vector<NamedStream> streams;
  int64_t open_at_end = 0;  ///< Ranges that were open when the recording ended.
};

}  // namespace prof

#endif  // PROF_TIMELINE_REPORT_H_
