// SPDX-License-Identifier: Apache-2.0
//
// Findings about work that runs alone where it could run beside other work: on one stream, behind
// the legacy default stream, as communication, as copies on the device, or on one of several
// devices. No record shows data dependencies, so most of them name candidates.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_STREAMS_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_STREAMS_H_

#include <vector>

#include "lib/analyzer/findings/finding_inputs.h"

namespace prof::analyzer {

[[nodiscard]] MaybeFinding Serialization(const RunInputs& inputs);
[[nodiscard]] MaybeFinding DefaultStream(const RunInputs& inputs);
[[nodiscard]] MaybeFinding ExposedCommunication(const RunInputs& inputs);
[[nodiscard]] MaybeFinding DeviceCopies(const RunInputs& inputs);
// Over all devices of the run.
[[nodiscard]] MaybeFinding BusiestDevice(const std::vector<RunInputs>& devices);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_STREAMS_H_
