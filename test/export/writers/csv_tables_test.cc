// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/csv_tables.h"

#include <map>
#include <string>
#include <vector>

#include "test/export/example_recording.h"
#include "test/support/catch.h"

namespace prof::exporting::csv_tables_test {
namespace {

using Row = std::map<std::string, std::string>;

// RFC 4180; fails where a row has another number of cells than the first.
std::vector<Row> Parsed(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  std::vector<Row> named;
  for (size_t i = 1; i < rows.size(); ++i) {
    REQUIRE(rows[i].size() == rows[0].size());
    Row row;
    for (size_t cell = 0; cell < rows[i].size(); ++cell) row[rows[0][cell]] = rows[i][cell];
    named.push_back(row);
  }
  return named;
}

std::vector<Row> Table(ExportTable table) {
  ExportOptions options;
  options.format = ExportFormat::kCsv;
  options.table = table;
  return Parsed(test::Exported(test::ExampleRecording(), options));
}

TEST_CASE("Launches have a row each, with the call behind them and hard names intact") {
  const std::vector<Row> rows = Table(ExportTable::kLaunches);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].at("name") == "saxpy");
  CHECK(rows[0].at("start_ns") == "20000");
  CHECK(rows[0].at("duration_ns") == "10000");
  CHECK(rows[0].at("range") == "step");
  CHECK(rows[0].at("grid_y") == "2");
  CHECK(rows[0].at("call_start_ns") == "10000");
  CHECK(rows[0].at("bytes").empty());
  CHECK(rows[0].at("sampled") == "1");
  CHECK(rows[2].at("name") == test::kHardName);
  CHECK(rows[3].at("kind") == "copy");
  CHECK(rows[3].at("bytes") == "4096");
  CHECK(rows[3].at("source") == "pageable");
  CHECK(rows[3].at("grid_x").empty());
}

TEST_CASE("Counters have a row for each value") {
  const std::vector<Row> rows = Table(ExportTable::kCounters);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].at("value") == "60");
  CHECK(rows[1].at("kernel") == "saxpy");
  CHECK(rows[1].at("kernel_start_ns") == "30000");
}

TEST_CASE("Ranges, calls and kernels are tables as well") {
  const std::vector<Row> ranges = Table(ExportTable::kRanges);
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].at("kind") == "push");
  CHECK(ranges[1].at("kind") == "span");
  CHECK(Table(ExportTable::kCalls).size() == 7);
  CHECK(Table(ExportTable::kKernels).size() == 3);
}

}  // namespace
}  // namespace prof::exporting::csv_tables_test
