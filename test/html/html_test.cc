// SPDX-License-Identifier: Apache-2.0
#include "lib/html/html.h"

#include <sstream>
#include <string>

#include "lib/html/bundle.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::html::html_test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("the page is one file: its script is let in by its hash, and nothing by an address") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("saxpy", {132}, {256}), "", 20'000, 30'000);
  const Snapshot snapshot = b.Snapshot();
  std::ostringstream out;
  const absl::Status status = WriteHtml(out, snapshot, Analyze(snapshot));
  if (!BuiltBundle(PageKind::kReport).missing.empty()) {
    CHECK(status.code() == absl::StatusCode::kUnimplemented);
    CHECK_THAT(WhyNoHtml(), Contains("without its HTML report"));
    return;
  }
  REQUIRE(status.ok());
  const std::string page = out.str();
  CHECK_THAT(page,
             Contains("default-src 'none'; script-src 'sha256-") && Contains("id=\"block0\""));
  CHECK_THAT(page, !Contains("src=\"") && !Contains("href=\"http"));
}

TEST_CASE("a command with markup is text in the title") {
  if (!BuiltBundle(PageKind::kReport).missing.empty()) return;
  Report report;
  report.command = "a</title><script>";
  test::SnapshotBuilder b;
  std::ostringstream out;
  REQUIRE(WriteHtml(out, b.Snapshot(), report).ok());
  CHECK_THAT(out.str(), Contains("<title>a&lt;/title>&lt;script> - prof</title>"));
}

}  // namespace
}  // namespace prof::html::html_test
