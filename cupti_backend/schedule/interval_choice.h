// SPDX-License-Identifier: Apache-2.0
//
// The interval choice finds the interval of PM samples whose bursts would settle most of what lacks
// samples.
//
// A burst has a number of samples, so a longer interval sees more launches. But a sample that holds
// several kernels settles none of them. A sample is as good as any where it lies within a launch,
// or in a row of launches of one kernel, or where it holds all of a launch and nothing else: then
// the GPU did nothing in the rest of it. So kernels that follow each other at once want samples
// shorter than they are, and kernels at a distance want samples as long as that distance.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_INTERVAL_CHOICE_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_INTERVAL_CHOICE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::cupti {

class IntervalChoice {
 public:
  // By rising length. The first one is chosen where no other is better.
  static constexpr std::array<int64_t, 4> kIntervalsNs = {5'000, 10'000, 20'000, 50'000};
  // What a launch is worth, in samples, that one sample holds with nothing beside it: the sample
  // has its start and its end. It is also the most that one launch is worth, because launches
  // differ.
  static constexpr double kWorthOfAll = 3;
  // More launches say nothing new about a program, and take time.
  static constexpr size_t kMostLaunches = 4'096;
  // Another interval has to be so much better: a change costs as much as some ten bursts.
  static constexpr double kBetter = 1.3;

  struct Launch {
    int64_t start_ns = 0, end_ns = 0;
    uint64_t kernel = 0;  // tells kernels apart
    bool lacking = false;
  };
  // All that ran on the GPU from `begin_ns` to `until_ns`, by start; nothing else did. One such
  // part of the program each time, whatever the interval was; the latest ones count most.
  void Add(const std::vector<Launch>& launches, int64_t begin_ns, int64_t until_ns);

  // 0: nothing lacked samples yet.
  [[nodiscard]] int64_t interval_ns() const { return interval_ns_; }

 private:
  std::array<double, kIntervalsNs.size()> gains_{};
  int64_t interval_ns_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_INTERVAL_CHOICE_H_
