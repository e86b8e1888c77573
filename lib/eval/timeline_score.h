// SPDX-License-Identifier: Apache-2.0
//
// How good the findings about planted timelines are: what was planted is found, it comes first, no
// other cause is named, and both forms have the same.
#ifndef PROF_LIB_EVAL_TIMELINE_SCORE_H_
#define PROF_LIB_EVAL_TIMELINE_SCORE_H_

#include <string>
#include <vector>

#include "lib/eval/planted_timeline.h"
#include "lib/eval/score.h"

namespace prof::eval {

struct TimelineAnswer {
  const PlantedTimeline* planted = nullptr;
  // False: nothing is planted, or what is cannot be found in this form.
  bool is_to_be_found = false;
  bool found = false, first = false;
  std::vector<std::string> harmful;  // ids that were found
};

struct TimelineScore {
  TimelineForm form = TimelineForm::kTimeline;
  std::vector<TimelineAnswer> answers;
  Rate found, first;  // of those that are to be found
  Rate quiet;         // no cause is named, of those where nothing is planted
  Rate harmless;      // no other cause is named, of all
  int not_recorded = 0;
  int without_findings = 0;  // whose report can have none: what is planted is not found there
};

// The findings of one timeline in one form.
[[nodiscard]] TimelineAnswer JudgeTimeline(const PlantedTimeline& planted,
                                           const FoundFindings& found, TimelineForm form);

// The answers point into `planted`.
[[nodiscard]] TimelineScore ScoreTimelines(const PlantedTimelines& planted, TimelineForm form);

// Timelines that were recorded in both forms. Findings that need counters do not count.
struct BothForms {
  Rate same;
  std::vector<const PlantedTimeline*> different;  // point into what was compared
};
[[nodiscard]] BothForms CompareForms(const PlantedTimelines& planted);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_TIMELINE_SCORE_H_
