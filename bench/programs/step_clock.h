// SPDX-License-Identifier: Apache-2.0
//
// A StepClock times the steps of a program. It prints one line that scripts can read: how many
// steps there were, and how long one took in each second of the run.
#ifndef PROF_BENCH_PROGRAMS_STEP_CLOCK_H_
#define PROF_BENCH_PROGRAMS_STEP_CLOCK_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

// Either a number of steps, or seconds.
struct StepLimit {
  int64_t steps = 0;  // 0: until `seconds` are over
  double seconds = 1;
};

// "--seed N [--steps N | --seconds S]"
struct StepOptions {
  uint64_t seed = 0;
  StepLimit limit;
};
// Ends the program with its usage where the words from `first` on are others.
StepOptions ParseSteps(int argc, char** argv, int first);

class StepClock {
 public:
  explicit StepClock(const StepLimit& limit) : limit_(limit) {}

  // Whether there are steps to do.
  bool GoesOn() const;
  // At most `most`: the steps until the next wait.
  int64_t StepsUntilWait(int64_t most) const;
  // `steps` more are over.
  void Waited(int64_t steps);

  int64_t steps() const { return steps_; }
  // "[steps] {...}"; `parameters` is JSON: what was drawn of the seed.
  void Print(const std::string& parameters) const;

 private:
  struct Batch {
    double end_s, us_per_step;
  };
  double Seconds() const;
  std::vector<double> MedianOfEachSecond() const;

  StepLimit limit_;
  int64_t steps_ = 0;
  double last_s_ = 0;
  std::vector<Batch> batches_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

#endif  // PROF_BENCH_PROGRAMS_STEP_CLOCK_H_
