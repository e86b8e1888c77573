// SPDX-License-Identifier: Apache-2.0
//
// A program as the schedule of triage sees it, and what sampling it costs.
#ifndef PROF_TEST_CUPTI_BACKEND_SCHEDULE_TRIAGE_SIMULATION_H_
#define PROF_TEST_CUPTI_BACKEND_SCHEDULE_TRIAGE_SIMULATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cupti_backend/schedule/triage_schedule.h"

namespace prof::cupti::test {

struct TriageSimulation {
  static constexpr int64_t kMs = 1'000'000;
  static constexpr int64_t kBurstCpuNs = 12 * kMs, kOpenCpuNs = 150 * kMs;
  // What the program and its coverage are at a time.
  struct Now {
    bool launches = true;
    uint64_t news = 1;
    double lacking = 0;
    int64_t interval_ns = 0;
    bool several_streams = false;
    bool alarm = true;
  };
  template <typename Program>
  void Run(int64_t until_ns, Program program) {
    while (now_ns < until_ns) {
      const Now now = program(now_ns);
      if (now.launches) ++signals.launches;
      signals.news = now.news;
      signals.lacking = now.lacking;
      signals.interval_ns = now.interval_ns;
      signals.several_streams = now.several_streams;
      signals.alarm = now.alarm;
      const size_t resolved = BurstsIn(0, now_ns - kResolvedNs);
      signals.resolved = resolved - std::min(resolved, lost);
      const TriageSchedule::Step step = schedule.Next(now_ns, open, signals, &budget);
      Take(step);
    }
  }
  void Take(const TriageSchedule::Step& step) {
    switch (step.action) {
      case TriageSchedule::Action::kWait:
        now_ns = std::clamp(step.at_ns, now_ns + 1, now_ns + 10 * kMs);
        break;
      case TriageSchedule::Action::kListen:
        now_ns = std::clamp(step.at_ns, now_ns + 1, now_ns + kMs / 10);
        break;
      case TriageSchedule::Action::kBurst:
        now_ns = step.at_ns;
        bursts.push_back(now_ns);
        lengths.push_back(step.length_ns);
        now_ns += burst_cpu_ns;
        cpu_ns += burst_cpu_ns;
        schedule.OnBurst(now_ns, burst_cpu_ns, bursts.size() > lost, &budget);
        break;
      case TriageSchedule::Action::kOpen:
        open = true;
        opened.push_back(step.interval_ns);
        now_ns += open_cpu_ns;
        cpu_ns += open_cpu_ns;
        schedule.OnOpen(now_ns, step.interval_ns, open_cpu_ns, &budget);
        break;
      case TriageSchedule::Action::kLetGo:
        open = false;
        let_go.push_back(now_ns);
        break;
    }
  }
  static constexpr int64_t kResolvedNs = 600 * kMs;  // after a burst
  size_t BurstsIn(int64_t from_ns, int64_t to_ns) const {
    return static_cast<size_t>(std::count_if(bursts.begin(), bursts.end(), [&](int64_t at_ns) {
      return at_ns >= from_ns && at_ns < to_ns;
    }));
  }

  TriageBudget budget{3, 0};
  TriageSchedule schedule{7};
  TriageSignals signals;
  int64_t now_ns = 0, cpu_ns = 0, burst_cpu_ns = kBurstCpuNs, open_cpu_ns = kOpenCpuNs;
  bool open = true;  // as it is prepared
  size_t lost = 0;   // of the first bursts: they bring no samples
  std::vector<int64_t> bursts, lengths, opened, let_go;
};

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_SCHEDULE_TRIAGE_SIMULATION_H_
