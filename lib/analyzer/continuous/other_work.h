// SPDX-License-Identifier: Apache-2.0
//
// Work that the recording does not have: the SMs are active while none of its operations runs.
// Another process on the GPU does that. Then counters and times of its kernels include such work.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_OTHER_WORK_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_OTHER_WORK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

struct PmDeviceClock;  // its header needs Eigen, which those of this header do not have

struct OtherWork {
  uint32_t device = 0;
  double active = 0;   // of the SMs, in the idle time of the recording, 0..1
  double error = 0;    // half width, 95 %
  double seconds = 0;  // of idle samples

  // "SMs of device 0 were active for 43 % +-2 % of the time in which ..."
  [[nodiscard]] std::string Describe() const;
};

// Looks at the samples of `series` in which nothing of the recording runs, with a margin at both
// ends. Samples that hold a part of an operation are not used: what a fit gives to the idle part of
// them depends on where the operation ends. Absent where the SMs rest, where there are too few such
// samples, and where the recording lacks operations by itself (losses, pauses, operations without a
// time).
[[nodiscard]] std::optional<OtherWork> FindOtherWork(const model::Model& model,
                                                     const model::PmSeries& series,
                                                     const PmDeviceClock& clock);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_OTHER_WORK_H_
