// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/nvtx_section.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::report {
namespace {

constexpr size_t kMostNames = 40;

// The program's own number; its unit is not known.
std::string NumberText(const Statistic& values, double value) {
  if (values.n == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string StreamText(const NamedStream& stream) {
  if (!stream.mapped) {
    char handle[32];
    std::snprintf(handle, sizeof(handle), "0x%llx", static_cast<unsigned long long>(stream.handle));
    return Printable(stream.name) + " (handle " + handle + ")";
  }
  return Printable(stream.name) + " (context " + std::to_string(stream.context) + ", stream " +
         std::to_string(stream.stream) + ": " + text::Count(stream.operations) + " operations)";
}

void WriteNames(std::ostream& out, const char* head, std::vector<std::string> names, int width) {
  if (names.empty()) return;
  if (names.size() > kMostNames) {
    const size_t more = names.size() - kMostNames;
    names.resize(kMostNames);
    names.push_back("and " + text::Count(static_cast<int64_t>(more)) + " more");
  }
  WriteParagraph(out, head, text::Join(names, ", "), width);
}

}  // namespace

void WriteNvtx(std::ostream& out, const Report& report, const TextOptions& options) {
  const NvtxReport& nvtx = report.nvtx;
  std::vector<const AnnotationReport*> shown;
  for (const AnnotationReport& annotation : nvtx.annotations) {
    if (annotation.marks > 0 || annotation.value.n > 0) shown.push_back(&annotation);
  }
  if (shown.empty() && nvtx.threads.empty() && nvtx.streams.empty()) return;
  WriteHeading(out, "NVTX: marks, values and names", options);
  const size_t rows = std::min(shown.size(), static_cast<size_t>(options.max_rows));
  Table table;
  table.columns = {{"path", Align::kLeft, 12},       {"field", Align::kLeft, 8},
                   {"category", Align::kLeft, 8, 1}, {"marks", Align::kRight},
                   {"values", Align::kRight},        {"smallest", Align::kRight, 0},
                   {"median", Align::kRight, 0},     {"largest", Align::kRight, 0}};
  for (size_t i = 0; i < rows; ++i) {
    const AnnotationReport& row = *shown[i];
    table.rows.push_back(
        {{Printable(row.range), Printable(row.field), Printable(row.category),
          row.field.empty() ? text::Count(row.marks) : "", text::Count(row.value.n),
          NumberText(row.value, row.value.min), NumberText(row.value, row.value.median),
          NumberText(row.value, row.value.max)}});
  }
  if (rows > 0) WriteTable(out, table, options.width, options.utf8);
  if (rows < shown.size()) {
    out << "(" << text::Count(static_cast<int64_t>(shown.size() - rows))
        << " more rows; --top shows more)\n";
  }
  std::vector<std::string> threads, streams;
  for (const NamedThread& thread : nvtx.threads) {
    threads.push_back(Printable(thread.name) + " (" + std::to_string(thread.tid) + ")");
  }
  for (const NamedStream& stream : nvtx.streams) streams.push_back(StreamText(stream));
  WriteNames(out, "threads: ", std::move(threads), options.width);
  WriteNames(out, "streams: ", std::move(streams), options.width);
}

}  // namespace prof::report
