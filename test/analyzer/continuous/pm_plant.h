// SPDX-License-Identifier: Apache-2.0
//
// A device whose kernels have known rates, and the PM samples that it would give: what the
// attribution finds is held against what was planted.
#ifndef PROF_TEST_ANALYZER_CONTINUOUS_PM_PLANT_H_
#define PROF_TEST_ANALYZER_CONTINUOUS_PM_PLANT_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/analyzer/continuous/continuous.h"
#include "lib/snapshot/model/model.h"

namespace prof::test {

struct PlantedKernel {
  std::string name;
  int64_t duration_ns = 0;
  std::vector<double> rates;  // of each metric, in percent: the mean over a launch
  double front = 0;           // -1 to 1: by how much the first half of a launch is above that mean
};

struct PlantOptions {
  int64_t interval_ns = 100'000;
  double noise = 1;             // standard deviation of each value, in points
  double jitter_ns = 100;       // of kernels' durations and gaps
  int64_t clock_offset_ns = 0;  // samples' clock minus operations' clock
  int64_t clock_drift_ns = 0;   // what the offset grows by over the recording
  uint32_t device = 0;
};

class PmPlant {
 public:
  explicit PmPlant(uint32_t seed = 1) : random_(seed) { model_.stopped_in_order = true; }

  // The shape's id, for Run().
  uint32_t Kernel(const PlantedKernel& kernel);
  // Path of a range; a name for Run().
  uint32_t Path(const std::string& name);
  // One operation; operations may overlap (their rates add). Returns its end.
  int64_t Run(uint32_t shape, int64_t start_ns, int64_t duration_ns, uint32_t path = 0,
              uint32_t stream = 7, uint32_t device = 0);
  // Kernels after each other with `gap_ns` between them, again and again until `end_ns`.
  void Loop(const std::vector<uint32_t>& shapes, int64_t start_ns, int64_t end_ns, int64_t gap_ns,
            const PlantOptions& options, uint32_t path = 0);
  // Samples of all of [start_ns, end_ns) of one device. Metrics: "m0.pct", "m1.pct", ...
  void Sample(int64_t start_ns, int64_t end_ns, const PlantOptions& options);
  // Takes the operations of a stream out of the recording: the samples keep what they did.
  void Forget(uint32_t stream);

  model::Model& model() { return model_; }
  const PlantedKernel& planted(uint32_t shape) const { return kernels_[shape - 1]; }

  struct Answer {
    analyzer::KernelGroups groups;
    analyzer::Continuous continuous;
    // Of the kernel with that name, on that device.
    const ContinuousValue& Of(const std::string& name, const std::string& metric = "m0.pct",
                              uint32_t device = 0) const;
  };
  Answer Attribute();

 private:
  double Jitter(double sigma) { return std::normal_distribution<double>(0, 1)(random_) * sigma; }

  std::mt19937 random_;
  model::Model model_;
  std::vector<PlantedKernel> kernels_;
};

// Ten kernels of 5 to 60 us with different rates of two metrics.
std::vector<PlantedKernel> TenKernels();
// Their shapes.
std::vector<uint32_t> AddAll(const std::vector<PlantedKernel>& kernels, PmPlant* plant);

// There is a value, `within` so much of what was planted, and within its own bound.
void CheckFound(const ContinuousValue& value, double planted, double within);

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_CONTINUOUS_PM_PLANT_H_
