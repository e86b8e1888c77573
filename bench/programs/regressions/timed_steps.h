// SPDX-License-Identifier: Apache-2.0
//
// TimedSteps repeats the step of a program and times each part of it with CUDA events. It prints
// what scripts read: [steps] of a StepClock, [parts] with the median of each part, and [sum] of
// what the program computed, which is the same before and after a regression.
#ifndef PROF_BENCH_PROGRAMS_REGRESSIONS_TIMED_STEPS_H_
#define PROF_BENCH_PROGRAMS_REGRESSIONS_TIMED_STEPS_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/programs/cuda_check.h"
#include "bench/programs/step_clock.h"

class TimedSteps {
 public:
  // Calls `launch`, which puts one kernel or more into the default stream. `part` is their name.
  template <typename Launch>
  void Time(const std::string& part, const Launch& launch) {
    const Pair events = Begin();
    launch();
    End(part, events);
  }

  // Repeats `step` until the limit, after a few that warm up. `sum` is called once, after these: so
  // its result does not depend on the number of steps. `parameters` is JSON: what was drawn.
  void Run(const StepLimit& limit, const std::function<void()>& step,
           const std::function<double()>& sum, const std::string& parameters);

 private:
  struct Pair {
    cudaEvent_t start = nullptr, end = nullptr;
  };
  struct Open {
    std::string part;
    Pair events;
  };

  Pair Begin();
  void End(const std::string& part, const Pair& events);
  // Reads the events of all steps so far; the device has no work left.
  void Read();
  void Print() const;

  std::vector<Pair> free_;
  std::vector<Open> open_;
  std::map<std::string, std::vector<float>> us_;
};

// The sum of the absolute values of an array in device memory.
double AbsoluteSum(const float* values, size_t count);

#endif  // PROF_BENCH_PROGRAMS_REGRESSIONS_TIMED_STEPS_H_
