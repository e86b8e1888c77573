// SPDX-License-Identifier: Apache-2.0
//
// Of a recording that traced kernels a part of the time (SessionOptions::duty_percent): the time
// that kernels took in the whole run. Launches were counted all the time, times are estimates.
#ifndef PROF_WHOLE_RUN_H_
#define PROF_WHOLE_RUN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prof {

/// An estimate of a sum of times: the time of the traced launches, scaled by the launches.
struct EstimatedTime {
  double ns = 0;
  /// Half the width of the interval that holds the true value in 95 % of recordings: of a ratio
  /// estimator over windows (Cochran, Sampling Techniques, 2.11 and 9A.1). nullopt: the launches
  /// were traced in fewer than three windows, which bounds nothing; of a sum, those of more than
  /// 1 % of its time were.
  std::optional<double> error_ns;
};

/// All launches of a kernel with one grid, block and shared memory on one device.
struct WholeRunKernel {
  std::string
      name;  ///< As KernelReport::name; "CUDA graph 7" where graphs are recorded as a whole.
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared_bytes = 0;
  uint32_t device = 0;
  int64_t launches = 0;  ///< In the whole run, those of CUDA graphs included.
  int64_t traced = 0;    ///< Of these, with a time.
  /// nullopt: no window had a launch, or not all of its launches are counted by its name.
  std::optional<EstimatedTime> time;
};

struct WholeRun {
  int64_t windows = 0;   ///< In which kernels were traced.
  double span_ns = 0;    ///< Time in which launches were counted, by the host's clock.
  double traced_ns = 0;  ///< Of that, windows.
  /// Of all kernels with a time. Those that overlap count twice.
  EstimatedTime kernels_time;
  int64_t launches = 0;  ///< Kernels and graphs; a graph counts once.
  /// Of these, those of kernels and graphs without a time: neither the sum nor its error has them.
  int64_t launches_without = 0;
  std::vector<WholeRunKernel> kernels;  ///< By time, descending; then those without.
};

}  // namespace prof

#endif  // PROF_WHOLE_RUN_H_
