// SPDX-License-Identifier: Apache-2.0
//
// The SM clock in the run. PM samples read it where a pass has room for it. Without them there is
// an estimate: a kernel that keeps an SM unit busy needs the same number of cycles at any clock,
// and its counted launches give that number.
#ifndef PROF_LIB_ANALYZER_KERNELS_RUN_CLOCK_H_
#define PROF_LIB_ANALYZER_KERNELS_RUN_CLOCK_H_

#include <cstdint>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Sets the part of KernelClock about the run, for each kernel; their units must have been found.
// With `s` the use of the busiest SM unit, `T` a median duration, and `f` the SM clock:
//   run_hz       = cycles(samples) / T(run)
//   run_hz_bound = f(samples) x s / (T(run) / T(samples) - (1 - s))
// The first takes all of the time to depend on the clock, the second no more than the time in which
// that unit worked: what waits for DRAM takes the same time at any SM clock.
//
// `read` is parallel to the kernels: the clock by PM samples, which needs no estimate; or empty.
// `alone` is parallel to the kernels, or empty: which share of the launches ran alone. Work beside
// a kernel makes it slower, too, so kernels below nine tenths show no clock.
void EstimateRunClocks(const model::Model& model, const std::vector<Statistic>& read,
                       const std::vector<double>& alone, std::vector<KernelReport>* kernels);

// The clock of a device in the run, from those of its kernels that agree with another one, or with
// their own samples. `undisturbed_ns` is parallel to `kernels`.
[[nodiscard]] RunClock FindRunClock(const model::Model& model, uint32_t device,
                                    const std::vector<KernelReport>& kernels,
                                    const std::vector<double>& undisturbed_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_RUN_CLOCK_H_
