// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/planted_timeline.h"

#include "lib/analyzer/findings/finding_memory.h"
#include "lib/analyzer/findings/finding_table.h"

namespace prof::eval {

const char* ToString(TimelineForm form) {
  return form == TimelineForm::kTimeline ? "the timeline alone" : "default options";
}

FoundFindings FindingsOf(const Report& report) {
  FoundFindings found;
  found.missing = report.findings_missing;
  for (const Finding& finding : report.findings) {
    if (!finding.withheld) found.ids.push_back(finding.id);
  }
  return found;
}

std::vector<std::string> FindingIds() {
  std::vector<std::string> ids;
  for (const analyzer::FindingRule& rule : analyzer::FindingRules()) {
    ids.emplace_back(rule.text.id);
  }
  for (const analyzer::FindingRow& row : analyzer::MemoryFindingRows()) ids.emplace_back(row.id);
  return ids;
}

bool NeedsCounters(const std::string& id) {
  for (const char* const one : {"clock", "fuse-kernels", "other-work"}) {
    if (id == one) return true;
  }
  return false;
}

}  // namespace prof::eval
