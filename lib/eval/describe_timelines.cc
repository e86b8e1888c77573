// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/describe_timelines.h"

#include <optional>
#include <utility>
#include <vector>

#include "lib/eval/describe.h"
#include "lib/text/strings.h"

namespace prof::eval {
namespace {

std::string IdsText(const std::vector<std::string>& ids) {
  return ids.empty() ? "nothing" : text::Join(ids, ", ");
}

std::string FoundText(const FoundFindings& found) {
  return found.missing.empty() ? IdsText(found.ids) : "no findings: " + found.missing;
}

std::string WantedText(const PlantedTimeline& planted) {
  return planted.expected.empty() ? "nothing" : text::Join(planted.expected, " or ");
}

// The lines of several draws of one kind may be the same.
class IndentedLines {
 public:
  void Add(const std::string& line) {
    if (lines_.empty() || lines_.back().first != line) lines_.emplace_back(line, 0);
    ++lines_.back().second;
  }
  // Below `head`; empty where there are none.
  std::string Text(const std::string& head) const {
    std::string text = lines_.empty() ? "" : head;
    for (const auto& [line, times] : lines_) {
      text += "  " + line + (times > 1 ? " (" + std::to_string(times) + " times)" : "") + "\n";
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, int>> lines_;  // with how many of it
};

std::string MissesOf(const TimelineScore& score) {
  IndentedLines lines;
  for (const TimelineAnswer& answer : score.answers) {
    if (!answer.is_to_be_found || answer.first) continue;
    const PlantedTimeline& planted = *answer.planted;
    lines.Add(planted.kind + ": " + WantedText(planted) + " expected" +
              (answer.found ? " first, " : ", ") + "found " + FoundText(*planted.In(score.form)));
  }
  return lines.Text("misses:\n");
}

std::string OtherCauses(const TimelineScore& score) {
  IndentedLines lines;
  for (const TimelineAnswer& answer : score.answers) {
    if (answer.harmful.empty()) continue;
    lines.Add(answer.planted->kind + ": " + IdsText(answer.harmful) + "; planted is " +
              WantedText(*answer.planted));
  }
  return lines.Text("named, and not planted:\n");
}

// Without the timelines of which that form has no recording.
std::string DescribeForm(const TimelineScore& score) {
  std::string text = std::string("with ") + ToString(score.form) + "\n";
  text += RateLine("what was planted is found", score.found);
  text += RateLine("it is the first finding", score.first);
  text += RateLine("no cause is named where none was planted", score.quiet);
  text += RateLine("no cause is named that was not planted", score.harmless);
  std::vector<std::string> not_judged;
  for (const TimelineAnswer& answer : score.answers) {
    const bool planted = !answer.planted->expected.empty();
    if (planted && !answer.is_to_be_found) not_judged.push_back(answer.planted->kind);
  }
  if (!not_judged.empty()) {
    text += "cannot be found without counters: " + text::Join(not_judged, ", ") + "\n";
  }
  if (score.not_recorded > 0) {
    text += "not in the recordings: " + std::to_string(score.not_recorded) + "\n";
  }
  if (score.without_findings > 0) {
    text += "without findings, because their reports can have none: " +
            std::to_string(score.without_findings) + "\n";
  }
  return text + MissesOf(score) + OtherCauses(score);
}

std::string DescribeBoth(const BothForms& both) {
  IndentedLines lines;
  for (const PlantedTimeline* const timeline : both.different) {
    lines.Add(timeline->kind + ": " + FoundText(*timeline->with_timeline) + "; with " +
              ToString(TimelineForm::kDefault) + " " + FoundText(*timeline->with_default));
  }
  return RateLine("the same findings in both forms", both.same) + lines.Text("");
}

}  // namespace

std::string DescribeTimelines(const PlantedTimelines& planted) {
  std::string text;
  for (const TimelineForm form : {TimelineForm::kTimeline, TimelineForm::kDefault}) {
    text += DescribeForm(ScoreTimelines(planted, form)) + "\n";
  }
  return text + DescribeBoth(CompareForms(planted));
}

std::string ListTimelines(const PlantedTimelines& planted) {
  std::string text;
  for (const PlantedTimeline& timeline : planted.timelines) {
    text += "  " + timeline.kind + ": " + WantedText(timeline) + " planted";
    for (const TimelineForm form : {TimelineForm::kTimeline, TimelineForm::kDefault}) {
      const std::optional<FoundFindings>& found = timeline.In(form);
      if (found) text += std::string("; with ") + ToString(form) + " " + FoundText(*found);
    }
    text += "\n";
  }
  return text;
}

}  // namespace prof::eval
