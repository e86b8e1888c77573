// SPDX-License-Identifier: Apache-2.0
//
// The steps of a run as JSON.
#ifndef PROF_LIB_REPORT_JSON_STEPS_H_
#define PROF_LIB_REPORT_JSON_STEPS_H_

#include "lib/report/json/values.h"
#include "prof/step_report.h"

namespace prof {

[[nodiscard]] Json ToJson(const StepPartTime& value);
[[nodiscard]] Json ToJson(const StepIdle& value);
[[nodiscard]] Json ToJson(const StepPathTime& value);
[[nodiscard]] Json ToJson(const StepReport& value);
[[nodiscard]] Json ToJson(const StepPathItem& value);
[[nodiscard]] Json ToJson(const StepOffPath& value);
[[nodiscard]] Json ToJson(const StepPhase& value);
[[nodiscard]] Json ToJson(const StepsReport& value);

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_STEPS_H_
