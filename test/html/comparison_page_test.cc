// SPDX-License-Identifier: Apache-2.0
#include "lib/html/comparison_page.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/html/bundle.h"
#include "test/compare/runs.h"
#include "test/support/catch.h"

namespace prof::html::comparison_page_test {
namespace {

using Catch::Matchers::Contains;

Comparison SlowDown(const std::string& name) {
  std::vector<Report> before, after;
  uint32_t pid = 1;
  for (const double time_ns : test::Around(100'000)) {
    before.push_back(test::Run({test::Kernel(name, time_ns)}, pid++));
    after.push_back(test::Run({test::Kernel(name, 1.2 * time_ns)}, pid++));
  }
  return Compare(before, after);
}

std::string PageOf(const Comparison& comparison) {
  std::ostringstream out;
  const absl::Status written = WriteComparisonPage(out, comparison);
  if (BuiltBundle(PageKind::kComparison).missing.empty()) {
    REQUIRE(written.ok());
  } else {
    CHECK(written.code() == absl::StatusCode::kUnimplemented);
    CHECK(out.str().empty());
  }
  return out.str();
}

// The text of the page's element with the comparison.
std::string DataOf(const std::string& page) {
  const std::string mark = "<script type=\"application/json\" id=\"comparison\">";
  const size_t begin = page.find(mark);
  REQUIRE(begin != std::string::npos);
  return page.substr(begin + mark.size(), page.find("</script>", begin) - begin - mark.size());
}

TEST_CASE("the page of a comparison has the JSON of prof compare, and lets nothing in") {
  const Comparison comparison = SlowDown("saxpy");
  const std::string page = PageOf(comparison);
  if (page.empty()) return;
  std::ostringstream json;
  WriteComparisonJson(json, comparison);
  const nlohmann::json data = nlohmann::json::parse(DataOf(page));
  CHECK(data == nlohmann::json::parse(json.str()));
  CHECK(data["kernels"][0]["time"]["change"] == "slower");
  CHECK_THAT(page, Contains("default-src 'none'; script-src 'sha256-") &&
                       Contains("<title>Before and after - prof</title>"));
  CHECK_THAT(page, !Contains("src=\"") && !Contains("href=\"http"));
}

TEST_CASE("the name of a kernel cannot end the element that it stands in") {
  const std::string page = PageOf(SlowDown("f</script><b>"));
  if (page.empty()) return;
  CHECK_THAT(DataOf(page), !Contains("<b>"));
  CHECK(nlohmann::json::parse(DataOf(page))["kernels"][0]["name"] == "f</script><b>");
}

TEST_CASE("each kind of page has the script of its own, and both have one style") {
  const Bundle report = BuiltBundle(PageKind::kReport);
  const Bundle comparison = BuiltBundle(PageKind::kComparison);
  CHECK(report.missing == comparison.missing);
  CHECK(report.style_hash == comparison.style_hash);
  if (!report.missing.empty()) return;
  CHECK(report.script_hash != comparison.script_hash);
  CHECK(comparison.script.size() < 60'000);
}

}  // namespace
}  // namespace prof::html::comparison_page_test
