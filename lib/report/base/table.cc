// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/table.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "lib/report/base/strings.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr int kSpacing = 2;
constexpr int kNoteIndent = 6;

struct Placed {
  size_t index;  // into Table::columns
  int width;
};

std::string Spaces(int n) { return std::string(static_cast<size_t>(std::max(n, 0)), ' '); }

int LongestWord(const std::string& text) {
  int longest = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    longest = std::max(longest, DisplayWidth(text.substr(at, end - at)));
    at = end + 1;
  }
  return longest;
}

std::vector<Placed> NaturalWidths(const Table& table) {
  std::vector<Placed> placed;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    int widest = 0;
    for (const Row& row : table.rows) {
      if (i < row.cells.size()) widest = std::max(widest, DisplayWidth(row.cells[i]));
    }
    if (widest > 0) placed.push_back({i, std::max(widest, LongestWord(table.columns[i].title))});
  }
  return placed;
}

int TotalWidth(const std::vector<Placed>& placed) {
  int total = placed.empty() ? 0 : kSpacing * (static_cast<int>(placed.size()) - 1);
  for (const Placed& column : placed) total += column.width;
  return total;
}

// Leaves out dispensable columns while narrowing alone is not enough.
void Drop(const Table& table, int width, std::vector<Placed>* placed) {
  const auto column = [&](const Placed& at) -> const Column& { return table.columns[at.index]; };
  while (true) {
    int least = TotalWidth(*placed);
    for (const Placed& at : *placed) {
      if (column(at).narrowest > 0) least -= std::max(at.width - column(at).narrowest, 0);
    }
    const auto most =
        std::max_element(placed->begin(), placed->end(), [&](const Placed& a, const Placed& b) {
          return column(a).dispensable < column(b).dispensable;
        });
    if (least <= width || most == placed->end() || column(*most).dispensable == 0) return;
    placed->erase(most);
  }
}

// Narrows the widest column that may be narrowed, one by one, until the line fits.
void Narrow(const Table& table, int width, std::vector<Placed>* placed) {
  for (int excess = TotalWidth(*placed) - width; excess > 0; --excess) {
    Placed* widest = nullptr;
    for (Placed& column : *placed) {
      const int narrowest = table.columns[column.index].narrowest;
      const bool may_give = narrowest > 0 && column.width > narrowest;
      if (may_give && (widest == nullptr || column.width > widest->width)) widest = &column;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

std::string Pad(const std::string& text, int width, Align align) {
  const std::string space = Spaces(width - DisplayWidth(text));
  return align == Align::kRight ? space + text : text + space;
}

// Cells that were wrapped read from the top; titles stand on the line below them.
void WriteLines(std::ostream& out, const Table& table, const std::vector<Placed>& placed,
                const std::vector<std::vector<std::string>>& cells, bool at_bottom) {
  size_t height = 0;
  for (const auto& lines : cells) height = std::max(height, lines.size());
  for (size_t y = 0; y < height; ++y) {
    std::string line;
    for (size_t i = 0; i < placed.size(); ++i) {
      const size_t skip = at_bottom ? height - cells[i].size() : 0;
      const bool inside = y >= skip && y - skip < cells[i].size();
      if (i > 0) line += Spaces(kSpacing);
      line += Pad(inside ? cells[i][y - skip] : "", placed[i].width,
                  table.columns[placed[i].index].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

void WriteRule(std::ostream& out, int width, bool utf8) {
  for (int i = 0; i < width; ++i) out << (utf8 ? "\u2500" : "-");
  out << '\n';
}

}  // namespace

std::string TimeOrBlank(double ns) { return ns > 0 ? text::Time(ns) : ""; }
std::string TimeOrDash(double ns) { return ns > 0 ? text::Time(ns) : "-"; }

std::vector<std::string> WriteTable(std::ostream& out, const Table& table, int width, bool utf8) {
  std::vector<Placed> placed = NaturalWidths(table);
  Drop(table, width, &placed);
  Narrow(table, width, &placed);
  const int total = std::max(TotalWidth(placed), 1);

  std::vector<std::vector<std::string>> cells;
  cells.reserve(placed.size());
  for (const Placed& column : placed) {
    cells.push_back(Wrap(table.columns[column.index].title, column.width));
  }
  WriteLines(out, table, placed, cells, true);
  WriteRule(out, total, utf8);
  for (const Row& row : table.rows) {
    if (row.line_before) WriteRule(out, total, utf8);
    cells.clear();
    for (const Placed& column : placed) {
      const bool given = column.index < row.cells.size();
      const std::string cell = given ? row.cells[column.index] : "";
      const Column& of_table = table.columns[column.index];
      if (of_table.shorten) {
        const auto shorten = of_table.keeps_begin ? ShortenEnd : ShortenMiddle;
        cells.push_back({shorten(cell, column.width, utf8 ? "\u2026" : "...")});
      } else {
        cells.push_back(Wrap(cell, column.width));
      }
    }
    WriteLines(out, table, placed, cells, false);
    for (const std::string& note : row.notes) {
      WriteParagraph(out, Spaces(kNoteIndent), note, width);
    }
  }
  std::vector<std::string> titles;
  titles.reserve(placed.size());
  for (const Placed& column : placed) titles.push_back(table.columns[column.index].title);
  return titles;
}

void WriteParagraph(std::ostream& out, const std::string& first, const std::string& text,
                    int width) {
  const int indent = DisplayWidth(first);
  std::string before = first;
  for (const std::string& line : Wrap(text, std::max(width - indent, 20))) {
    out << before << line << '\n';
    before = Spaces(indent);
  }
}

}  // namespace prof::report
