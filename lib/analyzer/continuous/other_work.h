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
#include "prof/continuous_report.h"

namespace prof::analyzer {

struct OtherWork {
  uint32_t device = 0;
  double active = 0;   // of the SMs, in the idle time of the recording, 0..1
  double error = 0;    // half width, 95 %
  double seconds = 0;  // idle time that was sampled

  // "SMs of device 0 were active for 43 % +-2 % of the time in which ..."
  [[nodiscard]] std::string Describe() const;
};

// `idle`: the values of the device's idle time. Absent where the SMs rest then, where too little of
// it was sampled, and where the recording lacks operations by itself (losses, pauses).
[[nodiscard]] std::optional<OtherWork> FindOtherWork(const model::Model& model, uint32_t device,
                                                     const ContinuousValues& idle);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_OTHER_WORK_H_
