// SPDX-License-Identifier: Apache-2.0
//
// The finding that a CUDA graph would help: a sequence of launches repeats, with gaps that the
// launches cause. The sequence is that of a repeated NVTX range, or a period in the launches of a
// thread.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_GRAPH_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_GRAPH_H_

#include "lib/analyzer/findings/finding_inputs.h"

namespace prof::analyzer {

// Its gain is not yet limited to the span.
[[nodiscard]] MaybeFinding GraphOpportunity(const RunInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_GRAPH_H_
