// SPDX-License-Identifier: Apache-2.0
//
// The public writer of the HTML report: an answer, never an exception.
#include <sstream>
#include <string>

#include "lib/html/html.h"
#include "prof/analyzer.h"
#include "prof/write.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::write_html_test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("the public writer gives the page of the program, or why there is none") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("saxpy", {132}, {256}), "", 20'000, 30'000);
  const Snapshot snapshot = b.Snapshot();
  const Report report = Analyze(snapshot);
  std::ostringstream out, expected;
  CHECK(WriteHtml(out, snapshot, report) == html::WhyNoHtml());
  (void)html::WriteHtml(expected, snapshot, report);
  CHECK(out.str() == expected.str());
}

TEST_CASE("a recording that cannot be read has no page") {
  const Snapshot snapshot = Snapshot::FromBytes("no recording");
  std::ostringstream out;
  CHECK_THAT(WriteHtml(out, snapshot, Analyze(snapshot)),
             Contains("not a recording of prof") || Contains("without its HTML report"));
  CHECK(out.str().empty());
}

}  // namespace
}  // namespace prof::write_html_test
