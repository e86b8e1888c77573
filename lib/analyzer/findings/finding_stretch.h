// SPDX-License-Identifier: Apache-2.0
//
// A stretch is a part of the run in which one cause keeps the GPU idle for much of the time, while
// it costs little of the whole run: a bad phase of a good program.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_STRETCH_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_STRETCH_H_

#include <array>
#include <string_view>

#include "lib/analyzer/findings/finding_inputs.h"
#include "prof/report.h"

namespace prof::analyzer {

inline constexpr char kStretchFinding[] = "idle-stretch";

// A cause that can have stretches, and the finding about it in the whole run. Where there is that
// one, it has the time of the stretches already.
struct StretchCause {
  GapCause cause;
  std::string_view whole_run;
};
// Code is loaded once, mostly at the begin: a stretch of that is no phase of the program.
inline constexpr std::array<StretchCause, 5> kStretchCauses = {{
    {GapCause::kLaunch, "launch-bound"},
    {GapCause::kSync, "sync-bound"},
    {GapCause::kHostWork, "host-work"},
    {GapCause::kTransfer, "transfer-bound"},
    {GapCause::kDependency, "dependency-idle"},
}};

// All stretches of the cause together, with the one that costs most by name. Linear in the gaps.
[[nodiscard]] MaybeFinding FindIdleStretch(const RunInputs& inputs, GapCause cause);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_STRETCH_H_
