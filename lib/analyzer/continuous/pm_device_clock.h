// SPDX-License-Identifier: Apache-2.0
//
// The clock offset of a device, from all its series of PM samples together.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_DEVICE_CLOCK_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_DEVICE_CLOCK_H_

#include <optional>
#include <vector>

namespace prof::analyzer {

struct PmOffset {
  double ns = 0;        // samples' times minus operations' times
  double error_ns = 0;  // half width
};

class PmDeviceClock {
 public:
  void Add(const PmOffset& of_a_series) { known_.push_back(of_a_series); }
  // The most exact offset, with an error that includes all others; empty without any.
  std::optional<PmOffset> offset() const;

 private:
  std::vector<PmOffset> known_;
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_DEVICE_CLOCK_H_
