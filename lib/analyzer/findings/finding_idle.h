// SPDX-License-Identifier: Apache-2.0
//
// Findings about idle time, one for each cause. The gain is the time in which a device had nothing
// to do for that cause.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_IDLE_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_IDLE_H_

#include "lib/analyzer/findings/finding_inputs.h"

namespace prof::analyzer {

[[nodiscard]] MaybeFinding SyncBound(const RunInputs& inputs);
[[nodiscard]] MaybeFinding AllocationInLoop(const RunInputs& inputs);
[[nodiscard]] MaybeFinding LaunchBound(const RunInputs& inputs);
// Idle time because launches come too slowly.
struct LaunchPace {
  double idle_ns = 0;  // without the stalls; 0: too little
  double stall_ns =
      0;  // a gap of at least this is a single call that lasts; infinite: there is none
};
[[nodiscard]] LaunchPace FindLaunchPace(const RunInputs& inputs);
[[nodiscard]] MaybeFinding CodeLoading(const RunInputs& inputs);
[[nodiscard]] MaybeFinding HostWork(const RunInputs& inputs);
[[nodiscard]] MaybeFinding StartUp(const RunInputs& inputs);
[[nodiscard]] MaybeFinding TransferBound(const RunInputs& inputs);
[[nodiscard]] MaybeFinding DependencyIdle(const RunInputs& inputs);
[[nodiscard]] MaybeFinding UnexplainedIdle(const RunInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_IDLE_H_
