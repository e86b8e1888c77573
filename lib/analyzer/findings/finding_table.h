// SPDX-License-Identifier: Apache-2.0
//
// The table of findings has all that is known about each: what finds it, what its gain is a part
// of, and its texts in docs/guide/rules.md, which are made from here.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_TABLE_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/findings/finding_inputs.h"
#include "prof/report.h"

namespace prof::analyzer {

// The one rule that looks at all devices together.
inline constexpr char kBusiestDevice[] = "busiest-device";

// A row of docs/guide/rules.md.
struct FindingRow {
  std::string_view id;
  GainKind kind;               // what the gain bounds
  std::string_view condition;  // with the source of each threshold
  std::string_view evidence, action;
  std::string_view gain;   // at most; empty: memory
  std::string_view rests;  // on which records: "o", "r"
  std::string_view wrong;  // a wrong answer would be
};

// Causes of idle time, in an order.
struct CauseList {
  const GapCause* causes = nullptr;
  size_t count = 0;

  const GapCause* begin() const { return causes; }
  const GapCause* end() const { return causes + count; }
};

// The kernels whose time is a part of a gain.
enum class FindingKernels : uint8_t {
  kNone,
  kAll,
  kShort,      // below kSmallKernelNs: Finding::kernels_at_most_ns of it
  kOfDram,     // that DRAM limits
  kOfRanks,    // that communicate: Finding::kernels_at_most_ns of it
  kOfLowClock  // of the device of that finding
};

// What a gain is a part of: idle time, which it takes in this order, then copies, then kernels.
struct FindingTime {
  CauseList idle;
  bool copies = false;
  FindingKernels kernels = FindingKernels::kNone;
};

struct FindingRule {
  FindingRow text;
  // On one device. nullptr: it needs more than a device, and its own function is called where that
  // is known.
  MaybeFinding (*find)(const RunInputs&);
  FindingTime time;
  // A way out of idle time that has a finding of its own, and counts other time with it: it comes
  // behind the cause.
  bool remedy = false;
};

// In the order of the page. Without those about memory.
[[nodiscard]] const std::vector<FindingRule>& FindingRules();

// Of a finding in a report; nullptr: it is about memory, or not known.
[[nodiscard]] const FindingTime* FindingTimeOf(const Finding& finding);

// A table in Markdown. Those about memory have no gain.
[[nodiscard]] std::string FindingTable();
[[nodiscard]] std::string MemoryFindingTable();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_TABLE_H_
