// SPDX-License-Identifier: Apache-2.0
//
// Whether the samples of a burst may all be of one launch: as many SMs worked in each of them.
// Between two launches, which follow each other after a microsecond, fewer work for a while. Only
// samples that are hardly longer than that show it.
#ifndef PROF_CUPTI_BACKEND_PM_STEADY_SAMPLES_H_
#define PROF_CUPTI_BACKEND_PM_STEADY_SAMPLES_H_

#include <cstddef>
#include <string>
#include <vector>

namespace prof::cupti {

// `values`: rows of metrics; from `first` on they are of the burst. False where they are few, or
// the metrics have no activity of the SMs.
[[nodiscard]] bool AreSteady(const std::vector<double>& values,
                             const std::vector<std::string>& metrics, size_t first);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_STEADY_SAMPLES_H_
