// SPDX-License-Identifier: Apache-2.0
//
// Capture(run): runs a piece of GPU work until its counters are sampled, and analyzes it. For unit
// tests and experiments. Links prof::prof and prof::analyzer.
#ifndef PROF_CAPTURE_H_
#define PROF_CAPTURE_H_

#include <chrono>
#include <functional>

#include "prof/analyzer.h"
#include "prof/session.h"

namespace prof {

/// A test wants its answer: the budget that protects production runs is lifted.
inline SessionOptions CaptureSessionOptions() {
  SessionOptions options;
  options.counter_budget_percent = 100;
  options.counter_budget_seconds = 60;
  return options;
}

struct CaptureOptions {
  SessionOptions session = CaptureSessionOptions();
  int min_runs = 10;        ///< At least so many runs, even when counters are complete earlier.
  int max_runs = 1000000;   ///< At most so many, complete or not. One run is always made.
  double max_seconds = 30;  ///< After this only the timing runs follow, complete or not.
  int timing_runs = 10;     ///< Further runs, without counters, for the durations.
};

/// Calls `run` again and again until every signature has its counter samples, then some more times
/// for undisturbed durations, and returns the report. `run` submits the same work each time; it
/// need not wait for it. What did not work (no GPU, no permission) is in Report::notices.
/// Throws nothing of its own; an exception of `run` is passed on after recording has stopped.
inline Report Capture(const std::function<void()>& run, const CaptureOptions& options = {}) {
  if (!run) {
    Report report;
    report.error = "prof::Capture was given no function to run";
    return report;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto may_go_on = [&](int runs) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return runs < options.max_runs && elapsed.count() < options.max_seconds;
  };
  Session session(options.session);  // its destructor ends the recording when `run` throws
  const auto waits_for_counters = [&] {
    const State state = session.status().counters.state;
    const bool can_come = state == State::kWorking || state == State::kDegraded;
    return can_come && !session.counters_complete();
  };
  int runs = 0;
  do {
    run();
    ++runs;
    session.Synchronize();
  } while (may_go_on(runs) && (runs < options.min_runs || waits_for_counters()));
  for (int i = 0; i < options.timing_runs; ++i) run();
  session.Synchronize();
  return Analyze(session.Stop());
}

}  // namespace prof

#endif  // PROF_CAPTURE_H_
