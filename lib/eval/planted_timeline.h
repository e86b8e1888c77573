// SPDX-License-Identifier: Apache-2.0
//
// A planted timeline is a run whose GPU loses time for one known cause, or for none. It has the
// findings that must be in its reports, and those that must not.
#ifndef PROF_LIB_EVAL_PLANTED_TIMELINE_H_
#define PROF_LIB_EVAL_PLANTED_TIMELINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/report.h"

namespace prof::eval {

// The same run as different recordings have it.
enum class TimelineForm : uint8_t {
  kTimeline,  // --counters none
  kDefault    // default options
};

[[nodiscard]] const char* ToString(TimelineForm form);

// What a report advises.
struct FoundFindings {
  std::vector<std::string> ids;  // in its order, without what it withholds
  std::string missing;           // not empty: why there can be no findings
};
[[nodiscard]] FoundFindings FindingsOf(const Report& report);

struct PlantedTimeline {
  std::string kind;
  std::vector<std::string> expected;  // ids, one of which must be found; empty: nothing is planted
  std::vector<std::string> harmful;   // ids that name a cause that was not planted
  bool needs_counters = false;        // the expected findings cannot be in a timeline alone
  // Empty: it was not recorded in that form.
  std::optional<FoundFindings> with_timeline, with_default;

  [[nodiscard]] const std::optional<FoundFindings>& In(TimelineForm form) const {
    return form == TimelineForm::kTimeline ? with_timeline : with_default;
  }
};

struct PlantedTimelines {
  std::string error;  // not empty: they cannot be read; all else is empty
  std::vector<PlantedTimeline> timelines;
};

// Of all findings that a report can have, by docs/guide/rules.md.
[[nodiscard]] std::vector<std::string> FindingIds();

// A finding that a recording without counters can never have.
[[nodiscard]] bool NeedsCounters(const std::string& id);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_PLANTED_TIMELINE_H_
