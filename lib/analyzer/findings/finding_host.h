// SPDX-License-Identifier: Apache-2.0
//
// The lines of source in which the host was while the GPU waited for it, as evidence of a finding.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_HOST_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_HOST_H_

#include <string>
#include <vector>

#include "lib/analyzer/timeline/host_samples.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// "train.py:44 step": a frame of the host.
[[nodiscard]] std::string FrameText(const model::Model& model, uint32_t frame);

// How many samples these gaps have, how much of their idle time has any, and the lines with most of
// them: the program's own, with the innermost line that it was in most. Empty: the recording has no
// samples.
[[nodiscard]] std::vector<std::string> HostEvidence(const model::Model& model,
                                                    const HostTime& time);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_HOST_H_
