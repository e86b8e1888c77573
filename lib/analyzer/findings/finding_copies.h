// SPDX-License-Identifier: Apache-2.0
//
// Findings about copies. Only time in which no kernel ran counts: the rest is hidden already. It is
// not where the copies take all of the span, and the kernels wait for them.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_COPIES_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_COPIES_H_

#include "lib/analyzer/findings/finding_inputs.h"

namespace prof::analyzer {

// Their gains are not yet limited to the span.
[[nodiscard]] MaybeFinding PageableCopies(const RunInputs& inputs);
[[nodiscard]] MaybeFinding CopiesNotOverlapped(const RunInputs& inputs);
[[nodiscard]] MaybeFinding LinkBound(const RunInputs& inputs);
[[nodiscard]] MaybeFinding SmallCopies(const RunInputs& inputs);
[[nodiscard]] MaybeFinding SynchronousCopies(const RunInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_COPIES_H_
