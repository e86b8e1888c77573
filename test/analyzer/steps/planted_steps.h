// SPDX-License-Identifier: Apache-2.0
//
// Planted steps are a run of which the critical path is known: ten steps of one millisecond, each
// with what a test puts into it. All times are in microseconds from the begin of the step.
#ifndef PROF_TEST_ANALYZER_STEPS_PLANTED_STEPS_H_
#define PROF_TEST_ANALYZER_STEPS_PLANTED_STEPS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "prof/report.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {

inline constexpr int kPlantedSteps = 10;
inline constexpr uint32_t kEngineTid = 2000;  // a thread of autograd

class PlantedSteps {
 public:
  // Each step is `step_us` long on the host, and all times are multiplied by `scale`.
  explicit PlantedSteps(double step_us = 1'000, double scale = 1)
      : step_us_(step_us), scale_(scale) {}

  // The range of the step, from its begin until `end_us`.
  void Step(double end_us) { builder.Range("step " + std::to_string(number_), At(0), At(end_us)); }
  void Range(const std::string& name, double from_us, double to_us);
  // A kernel whose launch call begins at `call_us` and takes 4 us.
  void Kernel(const std::string& name, double call_us, double from_us, double to_us,
              uint32_t stream = 7, uint32_t tid = kMainTid);
  // A copy that the host waits for, from host to device, in stream 7.
  void Copy(double call_us, double from_us, double to_us);
  // A wait for stream 7, with its record.
  void SyncStream(double from_us, double to_us);
  void Op(double from_us, double to_us, uint32_t path, uint32_t tid = kMainTid);

  // Runs `step` kPlantedSteps times, each at its time, with the number of the step.
  void Plant(const std::function<void(int)>& step);
  StepsReport Analyzed();
  int64_t At(double us) const;

  SnapshotBuilder builder;

 private:
  double step_us_, scale_;
  int number_ = 0;
};

// Of the time of a report's critical paths.
double ShareOf(const StepsReport& steps, StepPathKind kind);
double ShareOf(const StepsReport& steps, StepPart part);
// The part; all zero where the steps have none of it.
StepPartTime PartOf(const StepsReport& steps, StepPart part);
// The time of the things with this text on the paths, over that of all steps.
double ShareOfItem(const StepsReport& steps, const std::string& what);

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_STEPS_PLANTED_STEPS_H_
