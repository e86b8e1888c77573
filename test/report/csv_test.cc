// SPDX-License-Identifier: Apache-2.0
#include "lib/report/csv.h"

#include <sstream>
#include <string>
#include <vector>

#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof::csv_test {
namespace {

// RFC 4180.
std::vector<std::vector<std::string>> Parsed(const Report& report) {
  std::ostringstream out;
  WriteCsv(out, report);
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  const std::string text = out.str();
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
        rows.back().back() += text[++i];
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  REQUIRE(rows.back() == std::vector<std::string>{""});
  rows.pop_back();
  return rows;
}

std::string Cell(const std::vector<std::vector<std::string>>& rows, size_t row, const char* name) {
  for (size_t i = 0; i < rows[0].size(); ++i) {
    if (rows[0][i] == name) return rows[row][i];
  }
  FAIL("no column " << name);
  return "";
}

TEST_CASE("Every line of the CSV has as many cells as the header") {
  const auto rows = Parsed(test::ExampleReport());
  REQUIRE(rows.size() == 4);
  for (const auto& row : rows) CHECK(row.size() == rows[0].size());
}

TEST_CASE("The CSV finds its values by column name") {
  const auto rows = Parsed(test::ExampleReport());
  CHECK(Cell(rows, 1, "name") == "saxpy");
  CHECK(Cell(rows, 1, "full_name") == "saxpy(int, float, float const*, float*)");
  CHECK(Cell(rows, 1, "duration_median_ns") == "178400");
  CHECK(Cell(rows, 1, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed") == "91.3");
  CHECK(Cell(rows, 2, "in_graph") == "1");
  CHECK(Cell(rows, 3, "limiter") == "small-grid");
}

TEST_CASE("What was not measured is an empty cell") {
  const auto rows = Parsed(test::ExampleReport());
  CHECK(Cell(rows, 2, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed").empty());
  CHECK(Cell(rows, 3, "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed").empty());
  CHECK(Cell(rows, 3, "occupancy_theoretical").empty());
}

TEST_CASE("Quotes, commas and newlines survive the CSV") {
  Report report = test::ExampleReport();
  report.kernels[0].range = "a \"b\", c\nd";
  CHECK(Cell(Parsed(report), 1, "range") == "a \"b\", c\nd");
}

TEST_CASE("Resources of a kernel without a traced launch are empty cells") {
  Report report = test::ExampleReport();
  report.kernels[0].resources_known = false;
  report.kernels[0].duration_from_counters = true;
  const auto rows = Parsed(report);
  CHECK(Cell(rows, 1, "registers_per_thread").empty());
  CHECK(Cell(rows, 1, "static_shared_bytes").empty());
  CHECK(Cell(rows, 1, "duration_from_counters") == "1");
  CHECK(Cell(rows, 2, "registers_per_thread") == "168");
  CHECK(Cell(rows, 2, "duration_from_counters") == "0");
}

}  // namespace
}  // namespace prof::csv_test
