// SPDX-License-Identifier: Apache-2.0
//
// The sample combiner turns counter samples of the same work into one set of metrics: it leaves out
// samples at another clock, and values that cannot be true.
#ifndef PROF_LIB_ANALYZER_KERNELS_SAMPLES_H_
#define PROF_LIB_ANALYZER_KERNELS_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

struct WorkSample {
  const model::CounterSample* sample = nullptr;
  double work_ns = 0;  // how long the counted work took; not above 0: not known
};

struct CombinedSamples {
  // At the work's time. Where that is not known for a sample, its values that depend on the counter
  // window are used only if no other sample has the metric.
  Metrics metrics;
  KernelClock clock;  // what the samples give of it
  SpeedOfLight speed_of_light;
  int64_t used = 0;
  int64_t at_other_clock = 0;      // not used
  std::vector<std::string> notes;  // sentences on values that were read and not used
};

class SampleCombiner {
 public:
  // Keeps a reference to `model`.
  explicit SampleCombiner(const model::Model& model);
  // Leaves out samples whose SM clock was not that of the others, percentages above 100, and a rate
  // of DRAM bytes above the peak of `device`, which may be null.
  [[nodiscard]] CombinedSamples Combine(const std::vector<WorkSample>& samples,
                                        const model::Device* device) const;

 private:
  double Clock(const model::CounterSample& sample) const;
  double MedianClock(const std::vector<WorkSample>& samples) const;

  const model::Model& model_;
  std::vector<ptrdiff_t> clock_at_;  // by pass group: which of its metrics is the SM clock
};

// The value of `metric` that `sample` has; NaN without one.
[[nodiscard]] double ValueOf(const model::Model& model, const model::CounterSample& sample,
                             const char* metric);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_SAMPLES_H_
