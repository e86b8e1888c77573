// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/streams_section.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {

void WriteStreams(std::ostream& out, const Report& report, const TextOptions& options) {
  std::vector<const StreamReport*> known;
  bool differ = false;
  for (const StreamReport& stream : report.streams) {
    if (!stream.priority) continue;
    known.push_back(&stream);
    differ |= stream.priority != known.front()->priority;
  }
  if (!differ) return;
  std::stable_sort(known.begin(), known.end(), [](const StreamReport* a, const StreamReport* b) {
    return *a->priority < *b->priority;
  });
  WriteHeading(out, "Streams of different priority", options);
  Table table;
  table.columns = {{"GPU", Align::kRight, 0, 1},  {"stream", Align::kLeft, 12},
                   {"kind", Align::kLeft},        {"priority", Align::kRight},
                   {"operations", Align::kRight}, {"time", Align::kRight}};
  const size_t rows = std::min(known.size(), static_cast<size_t>(options.max_rows));
  for (size_t i = 0; i < rows; ++i) {
    const StreamReport& stream = *known[i];
    std::string name = std::to_string(stream.stream);
    name += " of context " + std::to_string(stream.context);
    if (!stream.name.empty()) name = Printable(stream.name).append(" (").append(name).append(")");
    table.rows.push_back(
        {{std::to_string(stream.device), name, stream.kind, std::to_string(*stream.priority),
          text::Count(stream.operations), text::Time(stream.time_ns)}});
  }
  WriteTable(out, table, options.width, options.utf8);
  if (rows < known.size()) {
    out << "(" << text::Count(static_cast<int64_t>(known.size() - rows))
        << " more streams; --top shows more)\n";
  }
  WriteParagraph(out, "", "A smaller number goes first where the GPU has to choose.",
                 options.width);
}

}  // namespace prof::report
