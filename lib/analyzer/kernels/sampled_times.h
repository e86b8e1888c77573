// SPDX-License-Identifier: Apache-2.0
//
// The durations, SM clocks and cycles of the launches that were counted. A GPU has another clock in
// these launches than in the run, because they follow a pause: cycles can be compared, times not.
#ifndef PROF_LIB_ANALYZER_KERNELS_SAMPLED_TIMES_H_
#define PROF_LIB_ANALYZER_KERNELS_SAMPLED_TIMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/clock_report.h"

namespace prof::analyzer {

class SampledTimes {
 public:
  // A sample of the pass group `group` with a launch of `work_ns`. `clock_hz` is not finite where
  // the group does not hold the clock.
  void Add(uint32_t group, double work_ns, double clock_hz);
  // The part of KernelClock that samples give. Two pass groups differ when the medians of their
  // cycles (times, where a clock is missing) are more than 10 % and 2 us apart, and their ranges do
  // not overlap.
  [[nodiscard]] KernelClock Summary(const model::Model& model) const;

 private:
  struct Read {
    uint32_t group = 0;
    double ns = 0, hz = 0;
    [[nodiscard]] double cycles() const { return ns * hz / 1e9; }
  };
  [[nodiscard]] std::vector<std::string> Differences(const model::Model& model,
                                                     bool in_cycles) const;
  std::vector<Read> reads_;
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_SAMPLED_TIMES_H_
