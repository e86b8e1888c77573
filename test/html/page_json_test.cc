// SPDX-License-Identifier: Apache-2.0
#include "lib/html/page_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "test/support/catch.h"

namespace prof::html::page_json_test {
namespace {

TEST_CASE("text in the page's JSON cannot end its element") {
  Report report;
  report.command = R"(</script><script>alert(1)</script> "quoted\" <!--)";
  const std::string text = ReportJson(report);
  CHECK(text.find('<') == std::string::npos);
  CHECK(nlohmann::json::parse(text)["command"] == report.command);
}

TEST_CASE("spaces within strings stay, others go") {
  CHECK(ForPage("{ \"a b\": [1,\n 2] }") == R"({"a b":[1,2]})");
  CHECK(ForPage(R"({"a\\": " \" x"})") == R"({"a\\":" \" x"})");
}

TEST_CASE("the tables of the timeline name the causes in their order") {
  const auto json = nlohmann::json::parse(TimelineJson({}));
  CHECK(json["version"] == 1);
  CHECK(json["causes"][0] == "sync");
  CHECK(json["causes"].back() == "unknown");
}

}  // namespace
}  // namespace prof::html::page_json_test
