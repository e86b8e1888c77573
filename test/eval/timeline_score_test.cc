// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/timeline_score.h"

#include <string>
#include <vector>

#include "lib/eval/describe_timelines.h"
#include "test/support/catch.h"

namespace prof::eval::timeline_score_test {
namespace {

using Ids = std::vector<std::string>;

PlantedTimeline Planted(const std::string& kind, Ids expected, Ids harmful) {
  PlantedTimeline planted;
  planted.kind = kind;
  planted.expected = std::move(expected);
  planted.harmful = std::move(harmful);
  return planted;
}

PlantedTimelines Both(PlantedTimeline planted, Ids with_timeline, Ids with_default) {
  planted.with_timeline = FoundFindings{std::move(with_timeline), ""};
  planted.with_default = FoundFindings{std::move(with_default), ""};
  return {"", {std::move(planted)}};
}

TEST_CASE("One of the expected findings is enough, and the first finding counts apart") {
  const PlantedTimeline planted =
      Planted("values", {"sync-bound", "sync-copy"}, {"launch-bound", "host-work"});
  const auto judge = [&](Ids ids) {
    return JudgeTimeline(planted, {std::move(ids), ""}, TimelineForm::kTimeline);
  };
  CHECK(judge({"sync-copy"}).first);
  CHECK(judge({"small-copies", "sync-copy"}).found);
  CHECK_FALSE(judge({"small-copies", "sync-copy"}).first);
  CHECK_FALSE(judge({}).found);
  CHECK(judge({"sync-bound", "small-copies"}).harmful.empty());
  CHECK(judge({"sync-bound", "host-work"}).harmful == Ids{"host-work"});
}

TEST_CASE("A withheld finding is not found") {
  Report report;
  report.findings.resize(2);
  report.findings[0].id = "sync-bound";
  report.findings[1].id = "launch-bound";
  report.findings[1].withheld = true;
  CHECK(FindingsOf(report).ids == Ids{"sync-bound"});
}

TEST_CASE("Nothing is to be found where nothing is planted, and any cause is one too many") {
  const PlantedTimeline clean = Planted("clean", {}, FindingIds());
  const PlantedTimelines quiet = Both(clean, {}, {"sync-bound"});
  const TimelineScore before = ScoreTimelines(quiet, TimelineForm::kTimeline);
  CHECK(before.found.all == 0);
  CHECK(before.quiet.part == 1);
  const TimelineScore with_default = ScoreTimelines(quiet, TimelineForm::kDefault);
  CHECK(with_default.quiet.part == 0);
  CHECK(with_default.quiet.all == 1);
  CHECK(with_default.harmless.part == 0);
}

TEST_CASE("What needs counters is judged with default options alone") {
  PlantedTimeline chain = Planted("chain", {"fuse-kernels"}, {"serialization"});
  chain.needs_counters = true;
  const PlantedTimelines planted = Both(chain, {}, {"fuse-kernels", "clock"});
  CHECK(ScoreTimelines(planted, TimelineForm::kTimeline).found.all == 0);
  CHECK(ScoreTimelines(planted, TimelineForm::kDefault).found.part == 1);
  CHECK(CompareForms(planted).same.part == 1);
  CHECK(DescribeTimelines(planted).find("cannot be found without counters: chain") !=
        std::string::npos);
}

TEST_CASE("A form that was not recorded is counted, and is not compared") {
  PlantedTimelines planted = Both(Planted("waits", {"sync-bound"}, {}), {"sync-bound"}, {});
  planted.timelines[0].with_default.reset();
  CHECK(ScoreTimelines(planted, TimelineForm::kDefault).not_recorded == 1);
  CHECK(ScoreTimelines(planted, TimelineForm::kDefault).found.all == 0);
  CHECK(CompareForms(planted).same.all == 0);
}

TEST_CASE("A report that can have no findings finds nothing, and to name no cause is no merit") {
  PlantedTimelines planted = Both(Planted("clean", {}, {"sync-bound"}), {}, {});
  planted.timelines.push_back(Planted("waits", {"sync-bound"}, {}));
  planted.timelines[0].with_timeline = FoundFindings{{}, "prof disturbed all of it"};
  planted.timelines[1].with_timeline = planted.timelines[0].with_timeline;
  const TimelineScore score = ScoreTimelines(planted, TimelineForm::kTimeline);
  CHECK(score.without_findings == 2);
  CHECK(score.quiet.all == 0);
  CHECK(score.harmless.all == 0);
  CHECK(score.found.part == 0);
  CHECK(score.found.all == 1);
  CHECK(CompareForms(planted).same.all == 0);
  CHECK(DescribeTimelines(planted).find("because their reports can have none: 2") !=
        std::string::npos);
}

TEST_CASE("The text names misses, other causes, and what differs between the forms") {
  PlantedTimelines planted =
      Both(Planted("polling", {"sync-bound"}, {"launch-bound"}), {"launch-bound"}, {"sync-bound"});
  planted.timelines.push_back(Planted("waits", {"sync-bound"}, {}));
  planted.timelines[1].with_timeline = FoundFindings{{}, "prof disturbed all of it"};
  const std::string text = DescribeTimelines(planted);
  CAPTURE(text);
  for (const char* part :
       {"what was planted is found: 0 of 2", "what was planted is found: 1 of 1",
        "polling: sync-bound expected, found launch-bound",
        "polling: launch-bound; planted is sync-bound",
        "waits: sync-bound expected, found no findings: prof disturbed all of it",
        "the same findings in both forms: 0 of 1",
        "polling: launch-bound; with default options sync-bound", "not in the recordings: 1"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(ListTimelines(planted).find("polling: sync-bound planted; with the timeline alone "
                                    "launch-bound; with default options sync-bound") !=
        std::string::npos);
}

}  // namespace
}  // namespace prof::eval::timeline_score_test
