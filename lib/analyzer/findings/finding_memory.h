// SPDX-License-Identifier: Apache-2.0
//
// Findings about memory. They cost no time that the records show, so they have no gain.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_H_

#include <string>
#include <vector>

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_table.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"
#include "prof/report.h"

namespace prof::analyzer {

struct MemoryInputs {
  const model::Model& model;
  const MemoryReport& memory;
  double end_ns = 0;         // the last record, after the recording began
  std::string lost_records;  // why the ledger may be wrong; may be empty
  std::string lost_ranges;   // why owners and steps may be wrong; may be empty

  // Either of them.
  [[nodiscard]] const std::string& Lost() const {
    return lost_records.empty() ? lost_ranges : lost_records;
  }
};

// "step/load 1.2 GB, (no range) 30 MB, 2 more": the first three, from most to least.
[[nodiscard]] std::string HoldersText(const std::vector<MemoryHolder>& holders);
[[nodiscard]] std::string HoldersText(const std::vector<LineHolder>& holders);

// Adds the findings about memory to those about time. Calls that failed come first: the program did
// not get what it asked for. The others come before what is withheld or of low confidence.
void AddMemoryFindings(const model::Model& model, const MemoryReport& memory,
                       std::vector<Finding>* findings);

[[nodiscard]] std::vector<FindingRow> MemoryFindingRows();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_H_
