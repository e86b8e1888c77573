// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/sqlite_prof.h"

#include <cstddef>
#include <string>

#include "lib/export/base/json_text.h"
#include "lib/export/base/labels.h"
#include "lib/export/base/left_out.h"
#include "lib/text/strings.h"

namespace prof::exporting {
namespace {

void WriteCounters(const Events& events, const Selection& selection, int64_t begin_ns,
                   Database* database) {
  Table table(database, "PROF_COUNTERS",
              "unit TEXT NOT NULL, level TEXT, contextId INTEGER NOT NULL, correlationId INTEGER "
              "NOT NULL, start INTEGER, end INTEGER, range TEXT, metric TEXT NOT NULL, value REAL");
  for (const CounterEvent& sample : events.counters()) {
    Cell start = kNull, end = kNull;
    if (sample.operation >= 0) {
      const auto row = static_cast<size_t>(sample.operation);
      const OperationEvent op = events.operations()[row];
      if (!selection.Has(op, row)) continue;
      start = op.start_ns - begin_ns;
      end = op.end_ns - begin_ns;
    } else if (!selection.HasAt(sample.path, sample.start_ns)) {
      continue;
    }
    const std::string range = ValidUtf8(events.paths()[sample.path].full);
    for (size_t i = 0; i < sample.values->size(); ++i) {
      table.Add(ToString(sample.unit), sample.level, sample.context, sample.correlation, start, end,
                range, ValidUtf8((*sample.metrics)[i]), (*sample.values)[i]);
    }
  }
}

void WritePmSamples(const Events& events, const Selection& selection, int64_t begin_ns,
                    Database* database) {
  Table table(database, "PROF_PM_SAMPLES",
              "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, metric "
              "TEXT NOT NULL, value REAL");
  for (size_t series = 0; series < events.pm_series().size(); ++series) {
    const PmSeriesInfo& info = events.pm_series()[series];
    for (const PmSampleEvent& sample : events.pm_samples(series)) {
      if (!selection.HasOn(info.device, sample.start_ns, sample.end_ns)) continue;
      for (size_t i = 0; i < info.metrics.size(); ++i) {
        table.Add(sample.start_ns - begin_ns, sample.end_ns - begin_ns, info.device,
                  info.metrics[i], sample.values[i]);
      }
    }
  }
}

// The verdicts are those of the report, whatever part of the recording is in the export.
void WriteVerdicts(const Report& report, Database* database) {
  Table table(database, "PROF_VERDICTS",
              "shortName TEXT NOT NULL, demangledName TEXT NOT NULL, range TEXT, deviceId INTEGER "
              "NOT NULL, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY "
              "INTEGER, blockZ INTEGER, launches INTEGER NOT NULL, totalNs REAL NOT NULL, share "
              "REAL NOT NULL, medianNs REAL, limiter TEXT NOT NULL, confidence TEXT NOT NULL, "
              "rule TEXT, summary TEXT, evidence TEXT, action TEXT, gainAtMost REAL, missing TEXT");
  for (const KernelReport& kernel : report.kernels) {
    const Verdict& verdict = kernel.verdict;
    Cell median = kNull;
    if (kernel.duration_ns.n > 0) median = kernel.duration_ns.median;
    table.Add(ValidUtf8(kernel.name), ValidUtf8(kernel.full_name), ValidUtf8(kernel.range),
              kernel.device, kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0],
              kernel.block[1], kernel.block[2], kernel.launches, kernel.total_ns, kernel.share,
              median, ToString(verdict.limiter), ToString(verdict.confidence), verdict.rule,
              ValidUtf8(verdict.summary), ValidUtf8(text::Join(verdict.evidence, "\n")),
              ValidUtf8(verdict.action), verdict.gain_at_most, ValidUtf8(verdict.missing));
  }
}

void WriteFindings(const Report& report, Database* database) {
  Table table(database, "PROF_FINDINGS",
              "id TEXT NOT NULL, title TEXT NOT NULL, evidence TEXT, action TEXT, gainAtMostNs "
              "REAL NOT NULL, confidence TEXT NOT NULL, withheldWhy TEXT");
  for (const Finding& finding : report.findings) {
    Cell withheld = kNull;
    if (finding.withheld) withheld = std::string_view(finding.withheld_why);
    table.Add(finding.id, ValidUtf8(finding.title), ValidUtf8(text::Join(finding.evidence, "\n")),
              ValidUtf8(finding.action), finding.gain_at_most_ns, ToString(finding.confidence),
              withheld);
  }
  Table losses(database, "PROF_LOSSES", "sentence TEXT NOT NULL");
  for (const std::string& sentence : LossesOf(report)) losses.Add(sentence);
}

}  // namespace

void WriteProfTables(const Events& events, const Report& report, const Selection& selection,
                     int64_t begin_ns, Database* database) {
  WriteCounters(events, selection, begin_ns, database);
  WritePmSamples(events, selection, begin_ns, database);
  WriteVerdicts(report, database);
  WriteFindings(report, database);
}

}  // namespace prof::exporting
