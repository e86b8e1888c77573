// SPDX-License-Identifier: Apache-2.0
//
// The analyzer turns a snapshot into a report. Pure: no CUDA, no clock, no environment. Link
// prof::analyzer.
#ifndef PROF_ANALYZER_H_
#define PROF_ANALYZER_H_

#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof {

/// What an analysis adds that costs more than it is worth to each reader.
struct AnalyzeOptions {
  bool steps = false;  ///< Report::steps.
};

/// Analyzes a finished capture. Never throws: when the snapshot cannot be read, Report::error
/// has the reason and how much of it was valid. Thread safe. Costs time and memory in proportion to
/// the number of records (about 200 bytes each).
[[nodiscard]] Report Analyze(const Snapshot& snapshot);
/// The same, with what the options ask for. Steps may take as much time again as the rest, and take
/// some 2 kB each.
[[nodiscard]] Report Analyze(const Snapshot& snapshot, const AnalyzeOptions& options);

}  // namespace prof

#endif  // PROF_ANALYZER_H_
