// SPDX-License-Identifier: Apache-2.0
#include "prof/export.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "lib/export/base/left_out.h"
#include "lib/export/base/selection.h"
#include "lib/export/writers/chrome.h"
#include "lib/export/writers/csv_tables.h"
#include "lib/export/writers/folded.h"
#include "lib/export/writers/perfetto.h"
#include "lib/export/writers/pprof.h"
#include "lib/export/writers/speedscope.h"
#include "lib/export/writers/sqlite.h"
#include "lib/report/csv.h"

namespace prof {
namespace {

using exporting::Selection;

std::string CannotWrite(const std::string& path, int error) {
  return "cannot write '" + path + "': " + std::strerror(error) + ". Choose another file with -o";
}

void AddNotes(std::vector<std::string> notes, ExportResult* result) {
  for (std::string& note : notes) result->notes.push_back(std::move(note));
}

void WriteTable(const Events& events, const Report& report, const ExportOptions& options,
                const Selection& selection, std::ostream& out, ExportResult* result) {
  result->rows = static_cast<int64_t>(report.kernels.size());
  if (options.table == ExportTable::kKernels) {
    WriteCsv(out, report);
  } else {
    result->rows = exporting::WriteCsvTable(events, options.table, selection, out);
  }
  if (result->rows == 0) result->notes.push_back(exporting::WhyNoRows(events, options.table));
}

// The report's kernels are of the whole recording.
std::string TableProblem(const ExportOptions& options) {
  const bool selects =
      !options.range.empty() || options.gpu || options.from_ns || options.to_ns || options.keep > 0;
  if (!selects || options.format != ExportFormat::kCsv || options.table != ExportTable::kKernels) {
    return "";
  }
  return "the table kernels is of the whole recording: leave out --range, --gpu, --from-time, "
         "--to-time and --keep, or write --table launches";
}

void WriteStream(const Events& events, const Report& report, const ExportOptions& options,
                 const Selection& selection, std::ostream& out, ExportResult* result) {
  switch (options.format) {
    case ExportFormat::kPerfetto:
      AddNotes(exporting::WritePerfetto(events, report, selection, out), result);
      if (selection.gpus().size() > 1) {
        result->notes.emplace_back(
            "the trace has several GPUs, and Perfetto's page of a kernel joins counters by time "
            "alone: with --gpu N each GPU gets a trace of its own");
      }
      break;
    case ExportFormat::kChrome:
      AddNotes(exporting::WriteChrome(events, report, selection, out), result);
      break;
    case ExportFormat::kSpeedscope:
      exporting::WriteSpeedscope(events, selection, out);
      break;
    case ExportFormat::kPprof:
      exporting::WritePprof(events, selection, out);
      break;
    case ExportFormat::kFolded:
      exporting::WriteFolded(events, selection, out);
      break;
    case ExportFormat::kCsv:
      WriteTable(events, report, options, selection, out, result);
      break;
    case ExportFormat::kSqlite:
      result->error = "SQLite's format needs a file: name one with -o";
      break;
  }
}

// Selects, and calls `write` with the selection. What throws is a lack of memory.
template <typename Write>
ExportResult Guarded(const Events& events, const Report& report, const ExportOptions& options,
                     Write write) {
  ExportResult result;
  result.error = events.error().empty() ? TableProblem(options) : events.error();
  if (!result.error.empty()) return result;
  try {
    const Selection selection(events, options, &result.error);
    if (!result.error.empty()) return result;
    result.operations = selection.operations();
    result.operations_left_out =
        static_cast<int64_t>(events.operations().size()) - result.operations;
    AddNotes(exporting::LossesOf(report), &result);
    const bool is_table = options.format == ExportFormat::kCsv;  // WhyNoRows() is about these
    if (result.operations == 0 && !events.operations().empty() && !is_table) {
      result.notes.emplace_back("no operation that has a time is in the part that was asked for");
    } else if (events.operations().empty() && !is_table) {
      result.notes.emplace_back("no work of a GPU was recorded");
    }
    write(selection, &result);
  } catch (const std::exception& problem) {
    result.error = std::string("the export failed: ") + problem.what();
  }
  return result;
}

}  // namespace

ExportResult Export(const Events& events, const Report& report, const ExportOptions& options,
                    std::ostream& out) {
  return Guarded(events, report, options, [&](const Selection& selection, ExportResult* result) {
    WriteStream(events, report, options, selection, out, result);
    out.flush();
    if (result->error.empty() && !out) {
      result->error = "cannot write the export: the output took no more bytes";
    }
  });
}

namespace {

// A pipe or a device is written to, never replaced.
ExportResult ExportInto(const Events& events, const Report& report, const ExportOptions& options,
                        const std::string& path) {
  ExportResult result;
  if (std::filesystem::is_directory(path)) {
    result.error = "cannot write '" + path + "': it is a folder";
    return result;
  }
  if (options.format == ExportFormat::kSqlite) {
    result.error = "cannot write '" + path + "': a database needs a file of its own";
    return result;
  }
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  if (out) result = Export(events, report, options, out);
  if (result.error.empty() && !out) result.error = CannotWrite(path, errno);
  return result;
}

}  // namespace

ExportResult ExportToFile(const Events& events, const Report& report, const ExportOptions& options,
                          const std::string& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return ExportInto(events, report, options, path);
  }
  const std::string part = path + ".part";
  ExportResult result =
      Guarded(events, report, options, [&](const Selection& selection, ExportResult* written) {
        if (options.format == ExportFormat::kSqlite) {
          written->error = exporting::WriteSqlite(events, report, selection, part);
          return;
        }
        errno = 0;
        std::ofstream out(part, std::ios::binary | std::ios::trunc);
        if (out) WriteStream(events, report, options, selection, out, written);
        out.close();
        if (written->error.empty() && !out) written->error = CannotWrite(part, errno);
      });
  if (result.error.empty() && std::rename(part.c_str(), path.c_str()) != 0) {
    result.error = CannotWrite(path, errno);
  }
  if (!result.error.empty()) std::remove(part.c_str());
  return result;
}

}  // namespace prof
