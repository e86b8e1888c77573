// SPDX-License-Identifier: Apache-2.0
//
// Tables of text: columns as wide as they need to be. Where the line would be too long, long cells
// are wrapped inside their column, or shortened where the column asks for that.
#ifndef PROF_LIB_REPORT_BASE_TABLE_H_
#define PROF_LIB_REPORT_BASE_TABLE_H_

#include <iosfwd>
#include <string>
#include <vector>

namespace prof::report {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  // May be narrowed to this many columns, wrapping its cells; 0: always as wide as its widest cell.
  int narrowest = 0;
  // Not 0: left out when the table is too wide otherwise, the highest number first.
  int dispensable = 0;
  // Where it is narrowed, its cells lose their middle instead of being wrapped.
  bool shorten = false;
  bool keeps_begin = false;  // shortened cells lose their end instead
};

struct Row {
  std::vector<std::string> cells;  // as many as there are columns; "" is blank
  bool line_before = false;
  // Paragraphs under the row, over the table's whole width.
  std::vector<std::string> notes;
};

struct Table {
  std::vector<Column> columns;  // one whose cells are all blank is left out
  std::vector<Row> rows;
};

// The cell of a time in ns; blank, or "-", where there is none.
[[nodiscard]] std::string TimeOrBlank(double ns);
[[nodiscard]] std::string TimeOrDash(double ns);

// At most `width` columns wide, unless the columns that may not be narrowed need more. Returns the
// titles of the columns that it has.
std::vector<std::string> WriteTable(std::ostream& out, const Table& table, int width, bool utf8);

// `text` wrapped to `width`, its first line after `first`, the others indented as far.
void WriteParagraph(std::ostream& out, const std::string& first, const std::string& text,
                    int width);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_TABLE_H_
