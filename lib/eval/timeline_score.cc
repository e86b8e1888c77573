// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/timeline_score.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace prof::eval {
namespace {

bool IsOneOf(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::set<std::string> WithoutCounters(const FoundFindings& found) {
  std::set<std::string> ids;
  for (const std::string& id : found.ids) {
    if (!NeedsCounters(id)) ids.insert(id);
  }
  return ids;
}

}  // namespace

TimelineAnswer JudgeTimeline(const PlantedTimeline& planted, const FoundFindings& found,
                             TimelineForm form) {
  TimelineAnswer answer;
  answer.planted = &planted;
  answer.is_to_be_found =
      !planted.expected.empty() && (form == TimelineForm::kDefault || !planted.needs_counters);
  for (const std::string& id : found.ids) {
    answer.found |= IsOneOf(planted.expected, id);
    if (IsOneOf(planted.harmful, id)) answer.harmful.push_back(id);
  }
  answer.first = !found.ids.empty() && IsOneOf(planted.expected, found.ids.front());
  return answer;
}

TimelineScore ScoreTimelines(const PlantedTimelines& planted, TimelineForm form) {
  TimelineScore score;
  score.form = form;
  int to_find = 0, found = 0, first = 0, decoys = 0, quiet = 0, judged = 0, harmless = 0;
  for (const PlantedTimeline& timeline : planted.timelines) {
    const std::optional<FoundFindings>& findings = timeline.In(form);
    if (!findings) {
      ++score.not_recorded;
      continue;
    }
    TimelineAnswer answer = JudgeTimeline(timeline, *findings, form);
    const bool is_harmless = answer.harmful.empty();
    to_find += answer.is_to_be_found ? 1 : 0;
    found += answer.is_to_be_found && answer.found ? 1 : 0;
    first += answer.is_to_be_found && answer.first ? 1 : 0;
    score.answers.push_back(std::move(answer));
    if (!findings->missing.empty()) {  // to name nothing is no merit
      ++score.without_findings;
      continue;
    }
    ++judged;
    decoys += timeline.expected.empty() ? 1 : 0;
    quiet += timeline.expected.empty() && is_harmless ? 1 : 0;
    harmless += is_harmless ? 1 : 0;
  }
  score.found = MakeRate(found, to_find);
  score.first = MakeRate(first, to_find);
  score.quiet = MakeRate(quiet, decoys);
  score.harmless = MakeRate(harmless, judged);
  return score;
}

BothForms CompareForms(const PlantedTimelines& planted) {
  BothForms both;
  int compared = 0;
  for (const PlantedTimeline& timeline : planted.timelines) {
    if (!timeline.with_timeline || !timeline.with_default) continue;
    if (!timeline.with_timeline->missing.empty() || !timeline.with_default->missing.empty()) {
      continue;
    }
    ++compared;
    if (WithoutCounters(*timeline.with_timeline) != WithoutCounters(*timeline.with_default)) {
      both.different.push_back(&timeline);
    }
  }
  both.same = MakeRate(compared - static_cast<int>(both.different.size()), compared);
  return both;
}

}  // namespace prof::eval
