// SPDX-License-Identifier: Apache-2.0
#include "lib/format/ceilings_csv.h"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace prof::format {
namespace {

constexpr std::string_view kHead = "device,sm_count,kind,per_s,n,min,max,sm_clock_hz";
constexpr size_t kFileColumns = 8;
constexpr double kMostSms = 100'000, kMostRuns = 1e9;  // of numbers that are believed

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::vector<std::string> Cells(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    const size_t end = line.find(',');
    cells.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

// Negative: no number from 0 on.
double ToNumber(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  const bool is_number = !cell.empty() && *end == '\0' && std::isfinite(value);
  return is_number ? value : -1;
}

bool ToRow(const std::vector<std::string>& cells, CeilingRow* row) {
  if (cells.size() != kFileColumns || cells[0].empty() || cells[2].empty()) return false;
  const double sms = ToNumber(cells[1]), per_s = ToNumber(cells[3]), n = ToNumber(cells[4]);
  const double min = ToNumber(cells[5]), max = ToNumber(cells[6]), clock = ToNumber(cells[7]);
  if (!(sms >= 1) || sms > kMostSms || !(per_s > 0) || !(n >= 1) || n > kMostRuns) return false;
  if (!(min > 0) || !(max >= min) || clock < 0) return false;
  row->device = cells[0];
  row->sm_count = static_cast<uint32_t>(sms);
  row->kind = cells[2];
  row->per_s = per_s;
  row->n = static_cast<uint32_t>(n);
  row->min = min;
  row->max = max;
  row->sm_clock_hz = clock;
  return true;
}

}  // namespace

CeilingsCsv ParseCeilings(std::string_view text) {
  CeilingsCsv ceilings;
  if (TakeLine(&text) != kHead) {
    ceilings.error = "its first line is not \"" + std::string(kHead) + "\"";
    return ceilings;
  }
  for (int number = 2; !text.empty(); ++number) {
    const std::string_view line = TakeLine(&text);
    if (line.empty()) continue;
    CeilingRow row;
    if (!ToRow(Cells(line), &row)) {
      ceilings.rows.clear();
      ceilings.error = "line " + std::to_string(number) + " is no ceiling";
      return ceilings;
    }
    ceilings.rows.push_back(std::move(row));
  }
  if (ceilings.rows.empty()) ceilings.error = "it has no ceilings";
  return ceilings;
}

}  // namespace prof::format
