// SPDX-License-Identifier: Apache-2.0
//
// All of the text, as people see it. PROF_UPDATE_GOLDENS=1 rewrites the files: read the difference.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "lib/report/csv.h"
#include "lib/report/json.h"
#include "lib/report/text/details/kernel_detail.h"
#include "lib/report/text/text.h"
#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof::golden_test {
namespace {

void RequireGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(PROF_REPORT_GOLDENS) + "/" + name;
  if (std::getenv("PROF_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.is_open());
  std::ostringstream expected;
  expected << file.rdbuf();
  CHECK(text == expected.str());
}

std::string Text(const Report& report, const TextOptions& options) {
  std::ostringstream out;
  WriteText(out, report, options);
  return out.str();
}

TEST_CASE("The text report of the example is the golden one") {
  RequireGolden("example.txt", Text(test::ExampleReport(), {}));
}

TEST_CASE("The text report fits a narrow terminal and uses UTF-8 where asked") {
  TextOptions options;
  options.width = 100;
  options.utf8 = true;
  options.max_rows = 1;
  RequireGolden("example_narrow.txt", Text(test::ExampleReport(), options));
}

TEST_CASE("The detail of a kernel is the golden one") {
  std::ostringstream out;
  WriteKernelDetail(out, test::ExampleReport().kernels[0]);
  out << "\n---\n\n";
  WriteKernelDetail(out, test::ExampleReport().kernels[1]);
  RequireGolden("kernel_detail.txt", out.str());
}

TEST_CASE("The CSV of the example is the golden one") {
  std::ostringstream out;
  WriteCsv(out, test::ExampleReport());
  RequireGolden("example.csv", out.str());
}

TEST_CASE("The JSON of the example is the golden one") {
  std::ostringstream out;
  WriteJson(out, test::ExampleReport());
  RequireGolden("example.json", out.str());
}

}  // namespace
}  // namespace prof::golden_test
