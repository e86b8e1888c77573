// SPDX-License-Identifier: Apache-2.0
//
// Findings about the steps of a run: the instances of the outermost range that is entered again and
// again. A step lasts from the end of the GPU work of the step before to that of its own.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_STEPS_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_STEPS_H_

#include "lib/analyzer/findings/finding_inputs.h"

namespace prof::analyzer {

// A few steps take several times as long as the others.
[[nodiscard]] MaybeFinding OutlierSteps(const RunInputs& inputs);
// Steps get longer and longer.
[[nodiscard]] MaybeFinding StepDrift(const RunInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_STEPS_H_
