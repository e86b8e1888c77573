// SPDX-License-Identifier: Apache-2.0
//
// The exporters write a recording in the formats of other tools: docs/guide/export.md. Link
// prof::analyzer.
//
//   const prof::Snapshot snapshot = prof::Snapshot::FromFile("app.prof");
//   const prof::Report report = prof::Analyze(snapshot);
//   const prof::ExportResult result = prof::Export(prof::ReadEvents(snapshot), report, {}, out);
#ifndef PROF_EXPORT_H_
#define PROF_EXPORT_H_

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "prof/events.h"
#include "prof/report.h"

namespace prof {

enum class ExportFormat {
  kPerfetto,    ///< A GPU-compute trace for Perfetto, protobuf.
  kChrome,      ///< Chrome's JSON as Kineto writes it, for HTA and other readers of PyTorch traces.
  kSqlite,      ///< The tables of nsys's export, and PROF_* tables. Only to a file.
  kSpeedscope,  ///< GPU time by NVTX range and kernel.
  kPprof,       ///< The same, for pprof; gzipped.
  kFolded,      ///< GPU time by stack and kernel, for flame graphs: a line for each stack.
  kCsv          ///< One table: ExportOptions::table.
};

/// A table for kCsv.
enum class ExportTable {
  kKernels,   ///< A row for each signature, with its verdict: what `prof report --csv` prints.
  kLaunches,  ///< A row for each operation.
  kCounters,  ///< A row for each value of a counter.
  kRanges,    ///< A row for each time that an NVTX range was open.
  kCalls      ///< A row for each call of the CUDA API.
};

struct ExportOptions {
  ExportFormat format = ExportFormat::kPerfetto;
  ExportTable table = ExportTable::kLaunches;
  /// Only what overlaps this part of the recording, from its begin (ProcessInfo::start_ns), in
  /// nanoseconds.
  std::optional<int64_t> from_ns, to_ns;
  /// Only what happened in NVTX ranges whose path ("outer/inner") has a part that this ECMAScript
  /// regular expression matches; empty: all.
  std::string range;
  std::optional<uint32_t> gpu;  ///< Only operations of this device, and the calls behind them.
  /// Only this many operations, the longest ones, with the calls behind them, and this many ranges;
  /// 0: all. Of several that take the same time, the earlier ones.
  int64_t keep = 0;
};

struct ExportResult {
  std::string error;                ///< Not empty: what went wrong, and the way out.
  std::vector<std::string> notes;   ///< What a reader of the file has to know.
  int64_t operations = 0;           ///< Written.
  int64_t rows = 0;                 ///< Of a table of CSV, below its header.
  int64_t operations_left_out = 0;  ///< By the options, or because they have no time.
};

/// Writes `events` into `out`. Of `report`, it takes what limits each kernel; an empty one gives an
/// export without verdicts. Never throws. The writers stream: beside the events they take some
/// megabytes, and with `keep` or `gpu` a bit for each operation and each call. kSqlite needs a
/// file, see below. Any thread.
[[nodiscard]] ExportResult Export(const Events& events, const Report& report,
                                  const ExportOptions& options, std::ostream& out);

/// The same into the file `path`, which it replaces. It is complete, or it is not there: it gets
/// its name when it is written. A pipe or a device is written to, not replaced.
[[nodiscard]] ExportResult ExportToFile(const Events& events, const Report& report,
                                        const ExportOptions& options, const std::string& path);

}  // namespace prof

#endif  // PROF_EXPORT_H_
